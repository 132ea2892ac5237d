# Which types the library is compiled for is data: one two-line source per (class, scalar, offset, space).

set(TERRACE_TYPE_float "float")
set(TERRACE_TYPE_double "double")
set(TERRACE_TYPE_complex_float "Kokkos::complex<float>")
set(TERRACE_TYPE_complex_double "Kokkos::complex<double>")
set(TERRACE_TYPE_int "int")
set(TERRACE_TYPE_size_t "std::size_t")

function(terrace_check_types variable)
  foreach(type IN LISTS ${variable})
    if(NOT type IN_LIST ARGN)
      string(JOIN ", " known ${ARGN})
      message(FATAL_ERROR "${variable} names ${type}, which is none of ${known}")
    endif()
  endforeach()
  if(NOT ${variable})
    message(FATAL_ERROR "${variable} names no type")
  endif()
endfunction()
terrace_check_types(TERRACE_SCALARS float double complex_float complex_double)
terrace_check_types(TERRACE_OFFSETS int size_t)

set(TERRACE_COMBINATIONS "all" CACHE STRING
    "all: every scalar and offset on every space; few: what the tests for Cuda need, for builds that are never run")

# Sets <result>: is this combination compiled? Offsets and scalars never meet in arithmetic, so few means real scalars with
# the first offset and the last scalar with the last offset, on the host too, with which tests of Cuda compare.
function(terrace_is_compiled result space scalar offset)
  list(GET TERRACE_OFFSETS 0 first_offset)
  list(GET TERRACE_OFFSETS -1 last_offset)
  list(GET TERRACE_SCALARS -1 last_scalar)
  set(is_compiled TRUE)
  if(TERRACE_COMBINATIONS STREQUAL "few")
    set(is_compiled FALSE)
    if(offset STREQUAL first_offset AND NOT scalar MATCHES "complex")
      set(is_compiled TRUE)
    elseif(offset STREQUAL last_offset AND scalar STREQUAL last_scalar)
      set(is_compiled TRUE)
    endif()
  endif()
  set(${result} ${is_compiled} PARENT_SCOPE)
endfunction()

# The same for a class that has no offset: is it compiled with any?
function(terrace_is_compiled_with_any_offset result space scalar)
  set(${result} FALSE PARENT_SCOPE)
  foreach(offset IN LISTS TERRACE_OFFSETS)
    terrace_is_compiled(compiled ${space} ${scalar} ${offset})
    if(compiled)
      set(${result} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Writes <class>_<name>.cpp, which instantiates terrace::<class><<arguments>> (defined in <header>), and adds it to
# <target>.
function(terrace_instantiate_class target class header name arguments)
  set(file ${CMAKE_CURRENT_BINARY_DIR}/${class}_${name}.cpp)
  file(CONFIGURE OUTPUT ${file} CONTENT
       "#include \"${header}\"\ntemplate class terrace::${class}<${arguments}>;\n")
  target_sources(${target} PRIVATE ${file})
endfunction()

# A class for every scalar, offset and space.
function(terrace_instantiate target class header)
  foreach(space IN LISTS TERRACE_SPACES)
    foreach(scalar IN LISTS TERRACE_SCALARS)
      foreach(offset IN LISTS TERRACE_OFFSETS)
        terrace_is_compiled(compiled ${space} ${scalar} ${offset})
        if(compiled)
          terrace_instantiate_class(${target} ${class} ${header} ${space}_${scalar}_${offset}
                                    "${TERRACE_TYPE_${scalar}}, int, ${TERRACE_TYPE_${offset}}, ${TERRACE_SPACE_${space}}")
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

# The same for a class of patterns, which has no scalar.
function(terrace_instantiate_patterns target class header)
  foreach(space IN LISTS TERRACE_SPACES)
    foreach(offset IN LISTS TERRACE_OFFSETS)
      terrace_instantiate_class(${target} ${class} ${header} ${space}_${offset}
                                "int, ${TERRACE_TYPE_${offset}}, ${TERRACE_SPACE_${space}}")
    endforeach()
  endforeach()
endfunction()

# And for a class of vectors, which knows no matrix.
function(terrace_instantiate_vectors target class header)
  foreach(space IN LISTS TERRACE_SPACES)
    foreach(scalar IN LISTS TERRACE_SCALARS)
      terrace_is_compiled_with_any_offset(compiled ${space} ${scalar})
      if(compiled)
        terrace_instantiate_class(${target} ${class} ${header} ${space}_${scalar}
                                  "${TERRACE_TYPE_${scalar}}, ${TERRACE_SPACE_${space}}")
      endif()
    endforeach()
  endforeach()
endfunction()

# A partition of rows, which knows no entries; boxes of grids are made for the same spaces.
function(terrace_instantiate_partitions target header)
  foreach(space IN LISTS TERRACE_SPACES)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/Partition_${space}.cpp)
    set(lines "template class terrace::Partition<int, ${TERRACE_SPACE_${space}}>;\n")
    string(APPEND lines "template terrace::Partition<int, ${TERRACE_SPACE_${space}}> terrace::partition_grid(\n    const ${TERRACE_SPACE_${space}}&, const terrace::Grid&, const terrace::Grid&, int);\n")
    foreach(offset IN LISTS TERRACE_OFFSETS)
      string(APPEND lines "template struct terrace::detail::GraphPartitioner<int, ${TERRACE_TYPE_${offset}}, ${TERRACE_SPACE_${space}}>;\n")
      foreach(scalar IN LISTS TERRACE_SCALARS)
        terrace_is_compiled(compiled ${space} ${scalar} ${offset})
        if(compiled)
          string(APPEND lines "template struct terrace::detail::EdgeWeights<${TERRACE_TYPE_${scalar}}, int, ${TERRACE_TYPE_${offset}}, ${TERRACE_SPACE_${space}}>;\n")
        endif()
      endforeach()
    endforeach()
    file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n${lines}")
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()

# Level sets depend on the pattern only, so they are instantiated per (offset, space).
function(terrace_instantiate_level_sets target header)
  foreach(space IN LISTS TERRACE_SPACES)
    foreach(offset IN LISTS TERRACE_OFFSETS)
      set(file ${CMAKE_CURRENT_BINARY_DIR}/level_sets_${space}_${offset}.cpp)
      set(view "Kokkos::View<const {}*, Kokkos::Device<${TERRACE_SPACE_${space}}, ${TERRACE_SPACE_${space}}::memory_space>>")
      string(REPLACE "{}" "${TERRACE_TYPE_${offset}}" row_map "${view}")
      string(REPLACE "{}" "int" entries "${view}")
      file(CONFIGURE OUTPUT ${file} CONTENT
           "#include \"${header}\"\ntemplate terrace::LevelSets<int, ${TERRACE_SPACE_${space}}> terrace::level_sets(\n    const ${TERRACE_SPACE_${space}}&, ${row_map}, ${entries}, const TriangularOptions&);\n")
      target_sources(${target} PRIVATE ${file})
    endforeach()
  endforeach()
endfunction()

# The CUDA engines of structured grids: a source for each shape of tile.
function(terrace_instantiate_tiles target scalar)
  foreach(tile IN ITEMS StripTile SmallTile LargeTile LargeTileFew)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${tile}_Cuda_${scalar}.cpp)
    set(grid "terrace::cuda::grid")
    file(CONFIGURE OUTPUT ${file} CONTENT
         "#include \"backends/cuda/structured/tile_engine.hpp\"\ntemplate std::unique_ptr<${grid}::GridEngine<${scalar}>> ${grid}::make_tile_engine<${scalar}, ${grid}::${tile}>(\n    const Kokkos::Cuda&, const terrace::StructuredMatrix<${scalar}, Kokkos::Cuda>&, int,\n    const std::string&);\n")
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()

# The CUDA engines of direct factorizations: a source for each scalar, and for each that a factor in single precision has.
function(terrace_instantiate_ldlt_engines target)
  set(scalars "")
  foreach(scalar IN LISTS TERRACE_SCALARS)
    terrace_is_compiled_with_any_offset(compiled Cuda ${scalar})
    if(compiled)
      string(REPLACE "double" "float" single ${scalar})
      list(APPEND scalars ${scalar} ${single})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES scalars)
  foreach(scalar IN LISTS scalars)
    set(type "${TERRACE_TYPE_${scalar}}")
    set(pointer "terrace::ldlt::LdltEnginePointer<${type}, Kokkos::Cuda>")
    set(plan "terrace::ldlt::LdltPlanPointer<Kokkos::Cuda>")
    set(file ${CMAKE_CURRENT_BINARY_DIR}/LdltEngine_Cuda_${scalar}.cpp)
    file(CONFIGURE OUTPUT ${file} CONTENT
         "#include \"backends/cuda/ldlt/engine.hpp\"\ntemplate ${pointer} terrace::cuda::ldlt::make_engine<${type}>(\n    const Kokkos::Cuda&, const ${plan}&, int);\n")
    target_sources(${target} PRIVATE ${file})
  endforeach()
endfunction()

# Matrices of structured grids: per (real scalar, space), with the conversions of every offset in the same source.
function(terrace_instantiate_structured target)
  foreach(space IN LISTS TERRACE_SPACES)
    foreach(scalar IN LISTS TERRACE_SCALARS)
      terrace_is_compiled_with_any_offset(compiled ${space} ${scalar})
      if(scalar MATCHES "complex" OR NOT compiled)
        continue()
      endif()
      set(types "${TERRACE_TYPE_${scalar}}, ${TERRACE_SPACE_${space}}")
      set(matrix "StructuredMatrix<${types}>")
      set(lines "template class ${matrix};\n")
      foreach(offset IN LISTS TERRACE_OFFSETS)
        set(crs "GridCrsMatrix<${TERRACE_TYPE_${scalar}}, ${TERRACE_TYPE_${offset}}, ${TERRACE_SPACE_${space}}>")
        string(APPEND lines
          "template GridRecognition recognize_grid(const ${TERRACE_SPACE_${space}}&, const ${crs}&);\n"
          "template ${matrix} to_structured(const ${TERRACE_SPACE_${space}}&, const ${crs}&, const Grid&, Symmetry);\n"
          "template ${crs} to_crs(const ${TERRACE_SPACE_${space}}&, const ${matrix}&);\n")
      endforeach()
      set(file ${CMAKE_CURRENT_BINARY_DIR}/StructuredMatrix_${space}_${scalar}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT
           "#include \"solvers/structured_matrix.hpp\"\n#include \"solvers/convert_crs.hpp\"\nnamespace terrace {\n${lines}}\n")
      target_sources(${target} PRIVATE ${file})
      terrace_instantiate_class(${target} StructuredFactor solvers/structured_factor.hpp ${space}_${scalar} "${types}")
      terrace_instantiate_class(${target} StructuredPcg solvers/structured_pcg.hpp ${space}_${scalar} "${types}")
      if(space STREQUAL "Cuda" AND space IN_LIST TERRACE_TUNED_SPACES)
        terrace_instantiate_tiles(${target} ${TERRACE_TYPE_${scalar}})
      endif()
    endforeach()
  endforeach()
endfunction()
