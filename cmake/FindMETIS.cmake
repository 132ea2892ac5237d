# Finds METIS, which installs no CMake package: the target METIS::METIS. METIS 5.2 built from its sources needs GKlib.
# Used by Terrace's own configuration and by its installed package; METIS_ROOT says where to look.

find_path(METIS_INCLUDE_DIR metis.h)
find_library(METIS_LIBRARY metis)
find_library(METIS_GKLIB_LIBRARY GKlib)
mark_as_advanced(METIS_INCLUDE_DIR METIS_LIBRARY METIS_GKLIB_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR)

if(METIS_FOUND AND NOT TARGET METIS::METIS)
  add_library(METIS::METIS UNKNOWN IMPORTED)
  set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION ${METIS_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${METIS_INCLUDE_DIR})
  if(METIS_GKLIB_LIBRARY)
    set_target_properties(METIS::METIS PROPERTIES INTERFACE_LINK_LIBRARIES ${METIS_GKLIB_LIBRARY})
  endif()
endif()
