# Everything graphd needs comes from packages; see deploy/packages.txt.
find_package(Threads REQUIRED)
find_package(absl CONFIG REQUIRED)
find_package(Protobuf REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(GTest CONFIG REQUIRED)
find_package(fmt CONFIG REQUIRED)

# Headers only: libcuda and NVRTC are opened at run time.
find_path(CUDA_INCLUDE_DIR cuda.h
  HINTS $ENV{CUDA_HOME}/include /usr/local/cuda/include REQUIRED)
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE "${CUDA_INCLUDE_DIR}")

if(NOT GRAPHD_CORE_ONLY)
  find_package(gRPC CONFIG REQUIRED)
  find_package(spdlog CONFIG REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
  pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
  find_path(CLI11_INCLUDE_DIR CLI/CLI.hpp REQUIRED)
  find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h REQUIRED)
endif()
