// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the block numbers of a partition from a file, as METIS and its successors write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <terrace/error.hpp>
#include <vector>

namespace terrace {

/// One block number for each row of a matrix, from 0: line i of the file, counted from 0, is that of row i. The file is
/// plain or gzipped, lines may end in CRLF, and blanks may stand around a number. Empty blocks are no error. Works on
/// the host alone, in one thread.
///
/// \param path the file's name
/// \param rows how many there must be; without it as many as there are
///
/// \throws Error InvalidFile, with the line number in the message and in Error::line(): a line without a number, with
///         one that is negative or exceeds an int, or with more than a number; more or fewer lines than rows, with both
///         counts; a damaged gzip stream. A file that is missing or cannot be opened is InvalidFile too, without a
///         line.
std::vector<int> read_block_numbers(const std::string& path, std::optional<std::int64_t> rows = std::nullopt);

}  // namespace terrace
