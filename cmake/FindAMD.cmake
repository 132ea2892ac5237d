# Finds AMD of SuiteSparse, which installs no CMake package before version 6: the target AMD::AMD.
# Used by Terrace's own configuration and by its installed package; AMD_ROOT says where to look.

find_path(AMD_INCLUDE_DIR amd.h PATH_SUFFIXES suitesparse)
find_library(AMD_LIBRARY amd)
find_library(AMD_CONFIG_LIBRARY suitesparseconfig)
mark_as_advanced(AMD_INCLUDE_DIR AMD_LIBRARY AMD_CONFIG_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(AMD REQUIRED_VARS AMD_LIBRARY AMD_CONFIG_LIBRARY AMD_INCLUDE_DIR)

if(AMD_FOUND AND NOT TARGET AMD::AMD)
  add_library(AMD::AMD UNKNOWN IMPORTED)
  set_target_properties(AMD::AMD PROPERTIES IMPORTED_LOCATION ${AMD_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${AMD_INCLUDE_DIR}
                        INTERFACE_LINK_LIBRARIES ${AMD_CONFIG_LIBRARY})
endif()
