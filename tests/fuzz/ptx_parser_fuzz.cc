// Whatever the text: an error, or a module that checks and prints without harm
// and reads again as itself.
#include <cstddef>
#include <cstdint>

#include "core/base/check.h"
#include "core/ptx/check.h"
#include "core/ptx/parser.h"
#include "core/ptx/printer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace graphd::ptx;
  absl::StatusOr<Module> module =
      Parse(absl::string_view(reinterpret_cast<const char*>(data), size));
  if (!module.ok()) return 0;
  Check(*module).IgnoreError();
  for (const Function* entry : module->Entries()) {
    SignatureOf(*entry);
    FirstUnsupported(*module, *entry);
  }
  const std::string text = Print(*module);
  const absl::StatusOr<Module> again = Parse(text);
  GRAPHD_CHECK(again.ok());
  GRAPHD_CHECK(Print(*again) == text);
  MakeRoundingExplicit(*module);
  return 0;
}
