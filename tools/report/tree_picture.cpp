// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "report/tree_picture.hpp"

#include <algorithm>
#include <fstream>
#include <terrace/error.hpp>

#include "report/format.hpp"

namespace terrace::tools {
namespace {

// In the units of the picture.
constexpr int max_bands = 40;
constexpr double band_height = 22, gap = 6, top = 52;
constexpr double tree_left = 190, tree_width = 560, bar_left = 775, bar_width = 150, width = 1000;
constexpr double narrowest = 3;  // of a front that is drawn alone

double operations_of(const LdltFront& front) {
  double sum = 0;
  for (int k = 0; k < front.columns; ++k) sum += static_cast<double>(front.rows - k) * (front.rows - k);
  return sum;
}

void write_box(std::ofstream& file, double x, double y, double box_width, double height, const char* color) {
  file << "<rect x=\"" << fixed(x, 2) << "\" y=\"" << fixed(y, 2) << "\" width=\"" << fixed(box_width, 2)
       << "\" height=\"" << fixed(height, 2) << "\" fill=\"" << color << "\"/>\n";
}

void write_text(std::ofstream& file, double x, double y, const std::string& text, const char* anchor = "start") {
  file << "<text x=\"" << fixed(x, 1) << "\" y=\"" << fixed(y, 1) << "\" text-anchor=\"" << anchor << "\">" << text
       << "</text>\n";
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char letter : text) {
    if (letter == '<') result += "&lt;";
    else if (letter == '>') result += "&gt;";
    else if (letter == '&') result += "&amp;";
    else result += letter;
  }
  return result;
}

std::string name_of(const TreeBand& band) {
  const std::string last = std::to_string(band.last_level);
  return band.first_level == band.last_level ? "level " + last
                                             : "levels " + std::to_string(band.first_level) + " to " + last;
}

/// The fronts side by side; a box of its own for each that is wide enough.
void write_fronts(std::ofstream& file, const TreeBand& band, double y, double scale) {
  double x = tree_left, rows = 0, columns = 0;
  const auto close_box = [&] {
    const double box_width = rows * scale, air = std::min(1.0, 0.2 * box_width);
    const double dark = band_height * std::min(1.0, columns / rows);
    write_box(file, x, y, box_width - air, band_height - dark, "#b9d3e8");
    write_box(file, x, y + band_height - dark, box_width - air, dark, "#2b6ca3");
    x += box_width;
    rows = columns = 0;
  };
  for (const LdltFront& front : band.fronts) {
    rows += front.rows;
    columns += front.columns;
    if (rows * scale >= narrowest) close_box();
  }
  if (rows > 0) close_box();
}

void write_band(std::ofstream& file, const TreeBand& band, double y, double scale, double all_operations) {
  const double share = all_operations > 0 ? band.operations / all_operations : 0;
  const std::string fronts = grouped(static_cast<std::int64_t>(band.fronts.size()));
  const double line = y + 0.7 * band_height;
  file << "<g><title>" << name_of(band) << ": " << fronts << (fronts == "1" ? " front of " : " fronts, the largest of ")
       << grouped(band.fronts.front().rows) << " rows and " << grouped(band.fronts.front().columns) << " columns; "
       << fixed(100 * share, 1) << " % of the operations</title>\n";
  write_text(file, 10, line, name_of(band));
  write_text(file, tree_left - 10, line, fronts, "end");
  write_fronts(file, band, y, scale);
  write_box(file, bar_left, y, bar_width * share, band_height, "#d98032");
  write_text(file, bar_left + bar_width * share + 6, line, fixed(100 * share, 1) + " %");
  file << "</g>\n";
}

void write_bands(std::ofstream& file, const std::vector<TreeBand>& bands) {
  double widest = 0, operations = 0;
  for (const TreeBand& band : bands) {
    widest = std::max(widest, band.rows);
    operations += band.operations;
  }
  for (std::size_t b = 0; b < bands.size(); ++b)
    write_band(file, bands[b], top + static_cast<double>(b) * (band_height + gap), tree_width / widest, operations);
}

}  // namespace

std::vector<TreeBand> tree_bands(const std::vector<LdltFront>& fronts, int most) {
  int levels = 0;
  for (const LdltFront& front : fronts) levels = std::max(levels, front.level + 1);
  const int levels_of_band = (levels + most - 1) / most;
  std::vector<TreeBand> bands(levels > 0 ? static_cast<std::size_t>((levels - 1) / levels_of_band + 1) : 0);
  for (const LdltFront& front : fronts) {
    TreeBand& band = bands[static_cast<std::size_t>((levels - 1 - front.level) / levels_of_band)];
    band.fronts.push_back(front);
    band.rows += front.rows;
    band.operations += operations_of(front);
  }
  for (std::size_t b = 0; b < bands.size(); ++b) {
    bands[b].last_level = levels - 1 - static_cast<int>(b) * levels_of_band;
    bands[b].first_level = std::max(0, bands[b].last_level - levels_of_band + 1);
    std::stable_sort(bands[b].fronts.begin(), bands[b].fronts.end(),
                     [](const LdltFront& one, const LdltFront& other) { return one.rows > other.rows; });
  }
  return bands;
}

void write_tree_picture(const std::string& path, const std::string& title, const std::vector<LdltFront>& fronts) {
  const std::vector<TreeBand> bands = tree_bands(fronts, max_bands);
  const double height = top + static_cast<double>(bands.size()) * (band_height + gap) + gap;
  std::ofstream file(path);
  file << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << " " << height << "\" width=\"" << width
       << "\" font-family=\"sans-serif\" font-size=\"12\">\n";
  write_box(file, 0, 0, width, height, "#ffffff");
  write_text(file, 10, 18, escaped(title));
  write_text(file, tree_left - 10, top - gap, "fronts", "end");
  write_text(file, tree_left, top - gap, "by size: as wide as their rows, the eliminated share dark");
  write_text(file, bar_left, top - gap, "share of the operations");
  write_bands(file, bands);
  file << "</svg>\n";
  file.close();
  if (!file) throw Error(ErrorCode::InvalidFile, path + " cannot be written");
}

}  // namespace terrace::tools
