# Two verbs for the whole tree: a library per folder, a test program per mirrored source file.

set(GRAPHD_WARNINGS -Wall -Wextra -Wno-missing-field-initializers -Werror=return-type)

if(GRAPHD_SANITIZE)
  add_compile_options(-fsanitize=${GRAPHD_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${GRAPHD_SANITIZE})
endif()

# graphd_library(NAME SOURCES a.cc b.cc DEPS x y)
function(graphd_library name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_library(${name} STATIC ${A_SOURCES})
  target_include_directories(${name} PUBLIC "${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${GRAPHD_WARNINGS})
  target_link_libraries(${name} PUBLIC ${A_DEPS})
endfunction()

# graphd_program(NAME SOURCES a.cc DEPS x y): lands in bin/
function(graphd_program name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${GRAPHD_WARNINGS})
  target_link_libraries(${name} PRIVATE ${A_DEPS})
endfunction()

# graphd_test(NAME SOURCES a_test.cc DEPS x y): a GoogleTest program, registered as one ctest test.
# Tests find their data through GRAPHD_SOURCE_DIR.
function(graphd_test name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${A_SOURCES})
  target_include_directories(${name} PRIVATE "${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${GRAPHD_WARNINGS})
  target_compile_definitions(${name} PRIVATE
    GRAPHD_SOURCE_DIR="${CMAKE_SOURCE_DIR}" GRAPHD_BINARY_DIR="${CMAKE_BINARY_DIR}")
  target_link_libraries(${name} PRIVATE ${A_DEPS} GTest::gmock GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/tests")
  add_test(NAME ${name} COMMAND ${name})
endfunction()
