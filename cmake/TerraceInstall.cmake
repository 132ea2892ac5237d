# Installs the library so that find_package(terrace) works. Kokkos and Kokkos Kernels that were built here are
# installed beside it by their own rules.

include(CMakePackageConfigHelpers)
set(TERRACE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/terrace)

install(TARGETS terrace terrace_matrix_market EXPORT terraceTargets FILE_SET HEADERS)
install(EXPORT terraceTargets NAMESPACE terrace:: DESTINATION ${TERRACE_CMAKE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/terraceConfig.cmake.in
  ${PROJECT_BINARY_DIR}/terraceConfig.cmake INSTALL_DESTINATION ${TERRACE_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/terraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/terraceConfig.cmake ${PROJECT_BINARY_DIR}/terraceConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/FindAMD.cmake ${CMAKE_CURRENT_LIST_DIR}/FindMETIS.cmake
  ${CMAKE_CURRENT_LIST_DIR}/TerraceLanguage.cmake
  DESTINATION ${TERRACE_CMAKE_DIR})
