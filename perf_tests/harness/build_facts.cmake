# Run by every build: writes INTO from TEMPLATE when the commit is another than the last time. COMMIT, if it is given, is
# believed: sources that travel without their history can say what they are.

set(TERRACE_COMMIT "unknown")
if(COMMIT)
  set(TERRACE_COMMIT "${COMMIT}")
elseif(GIT)
  execute_process(COMMAND ${GIT} describe --always --dirty WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE described
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(described)
    set(TERRACE_COMMIT "${described}")
  endif()
endif()
configure_file(${TEMPLATE} ${INTO} @ONLY)  # as are BUILD_TYPE and COMPILER
