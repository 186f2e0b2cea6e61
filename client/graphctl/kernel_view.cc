#include "client/graphctl/kernel_view.h"

#include <cxxabi.h>

#include <cstdlib>
#include <map>
#include <memory>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "client/graphctl/output.h"

namespace graphd::graphctl {
namespace {

constexpr size_t kColumns = 80;

// "relu(float const*, float*, int)" for a mangled name, "" for a plain one.
std::string Demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? std::string(text.get()) : "";
}

std::string ParameterType(const ptx::Signature::Param& param) {
  if (!param.is_array) return std::string(ptx::Name(param.type));
  return absl::StrCat("struct of ", param.size_bytes, " bytes");
}

// The compiler's own names only repeat the kernel's.
std::string ParameterName(const std::string& kernel, const std::string& param,
                          size_t index) {
  return param == absl::StrCat(kernel, "_param_", index)
             ? absl::StrCat(index)
             : absl::StrCat(index, " ", param);
}

// What the access reaches: a parameter, a pointer inside one, a variable.
std::string RootText(const ptx::MemoryAccess& access) {
  if (access.parameter.has_value()) {
    return access.parameter_offset_bytes == 0
               ? absl::StrCat("parameter ", *access.parameter)
               : absl::StrCat("parameter ", *access.parameter, " + ",
                              access.parameter_offset_bytes);
  }
  return access.symbol.empty() ? "unknown memory"
                               : absl::StrCat("variable ", access.symbol);
}

std::string OffsetText(const ptx::MemoryAccess& access) {
  return access.offset.has_value() ? access.offset->ToString() : "anywhere";
}

std::string GuardText(const ptx::Guard& guard) {
  return absl::StrCat(guard.left.ToString(), " < ", guard.right.ToString());
}

std::string Use(const ptx::KernelFacts& facts, size_t parameter) {
  bool loads = false;
  bool stores = false;
  for (const auto& access : facts.accesses) {
    if (access.parameter != parameter) continue;
    (access.is_store ? stores : loads) = true;
  }
  if (parameter < facts.escapes.size() && facts.escapes[parameter]) {
    return "its address escapes: may read and may write all of it";
  }
  if (loads && stores) return "read and written";
  return stores ? "written" : loads ? "read" : "";
}

std::vector<std::string> Traits(const ptx::KernelFacts& facts) {
  std::vector<std::string> traits;
  if (facts.has_barrier) traits.push_back("barriers");
  if (facts.has_shared) traits.push_back("shared memory");
  if (facts.has_warp_operations) traits.push_back("warp operations");
  if (facts.has_atomics_or_fences) traits.push_back("atomics or fences");
  if (facts.has_calls) traits.push_back("calls");
  if (facts.has_side_effects) traits.push_back("side effects");
  return traits;
}

void AppendKernel(const InspectedKernel& kernel, std::string& text) {
  const ptx::KernelFacts& facts = kernel.facts;
  absl::StrAppend(&text, "  kernel ", kernel.name, "\n");
  const std::string readable = Demangled(kernel.name);
  if (!readable.empty()) absl::StrAppend(&text, "    ", readable, "\n");
  if (!facts.signature.params.empty()) {
    Table params({"PARAMETER", "TYPE", "BYTES", "OFFSET", "USE"});
    params.Right(2).Right(3);
    for (size_t i = 0; i < facts.signature.params.size(); ++i) {
      const auto& param = facts.signature.params[i];
      params.Add({ParameterName(kernel.name, param.name, i),
                  ParameterType(param), absl::StrCat(param.size_bytes),
                  absl::StrCat(param.offset_bytes), Use(facts, i)});
    }
    absl::StrAppend(&text, params.ToString("    "));
  }
  for (const auto& access : facts.accesses) {
    std::string line = absl::StrCat(
        access.is_store ? "writes " : "reads ", access.width_bytes,
        " bytes of ", RootText(access), " at ", OffsetText(access));
    if (!access.guards.empty()) {
      absl::StrAppend(&line, " where ",
                      absl::StrJoin(access.guards, " and ",
                                    [](std::string* out, const auto& guard) {
                                      absl::StrAppend(out, GuardText(guard));
                                    }));
    }
    absl::StrAppend(&line, " (line ", access.line, ")");
    absl::StrAppend(&text, Wrapped(line, kColumns, "    "));
  }
  for (const auto& unrooted : facts.unrooted) {
    absl::StrAppend(
        &text,
        Wrapped(absl::StrCat("line ", unrooted.line, ": ", unrooted.instruction,
                             " reaches memory that no argument leads "
                             "to: declare the accesses"),
                kColumns, "    "));
  }
  const std::vector<std::string> traits = Traits(facts);
  if (!traits.empty()) {
    absl::StrAppend(&text, "    uses ", absl::StrJoin(traits, ", "), "\n");
  }
  absl::StrAppend(
      &text,
      Wrapped(facts.elementwise ? std::string("element-wise: yes, it may fuse")
                                : absl::StrCat("element-wise: no, ",
                                               facts.not_elementwise_because),
              kColumns, "    "),
      Wrapped(kernel.unsupported.has_value()
                  ? absl::StrCat("software GPU: no, line ",
                                 kernel.unsupported->line, ": ",
                                 kernel.unsupported->instruction)
                  : std::string("software GPU: runs"),
              kColumns, "    "));
}

std::string Quoted(absl::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json.append({'\\', c});
    } else if (static_cast<unsigned char>(c) < 0x20) {
      absl::StrAppendFormat(&json, "\\u%04x", c);
    } else {
      json.push_back(c);
    }
  }
  return json + "\"";
}

const char* Bool(bool value) { return value ? "true" : "false"; }

std::string AccessJson(const ptx::MemoryAccess& access) {
  std::string json =
      absl::StrCat("{\"kind\":\"", access.is_store ? "write" : "read", "\"");
  if (access.parameter.has_value()) {
    absl::StrAppend(
        &json, ",\"parameter\":", *access.parameter,
        ",\"parameterOffsetBytes\":", access.parameter_offset_bytes);
  }
  if (!access.symbol.empty()) {
    absl::StrAppend(&json, ",\"variable\":", Quoted(access.symbol));
  }
  absl::StrAppend(&json, ",\"widthBytes\":", access.width_bytes);
  if (access.offset.has_value()) {
    absl::StrAppend(&json, ",\"offset\":", Quoted(access.offset->ToString()));
  }
  absl::StrAppend(&json, ",\"guards\":[",
                  absl::StrJoin(access.guards, ",",
                                [](std::string* out, const auto& guard) {
                                  absl::StrAppend(out,
                                                  Quoted(GuardText(guard)));
                                }),
                  "],\"line\":", access.line, "}");
  return json;
}

std::string KernelJson(const InspectedKernel& kernel) {
  const ptx::KernelFacts& facts = kernel.facts;
  std::string json = absl::StrCat("{\"name\":", Quoted(kernel.name));
  const std::string readable = Demangled(kernel.name);
  if (!readable.empty()) {
    absl::StrAppend(&json, ",\"signature\":", Quoted(readable));
  }
  absl::StrAppend(
      &json, ",\"parameters\":[",
      absl::StrJoin(facts.signature.params, ",",
                    [](std::string* out, const auto& param) {
                      absl::StrAppend(
                          out, "{\"name\":", Quoted(param.name),
                          ",\"type\":", Quoted(ParameterType(param)),
                          ",\"sizeBytes\":", param.size_bytes,
                          ",\"offsetBytes\":", param.offset_bytes, "}");
                    }),
      "],\"accesses\":[",
      absl::StrJoin(facts.accesses, ",",
                    [](std::string* out, const auto& access) {
                      absl::StrAppend(out, AccessJson(access));
                    }),
      "],\"unrooted\":[",
      absl::StrJoin(facts.unrooted, ",",
                    [](std::string* out, const auto& unrooted) {
                      absl::StrAppend(out, "{\"line\":", unrooted.line,
                                      ",\"instruction\":",
                                      Quoted(unrooted.instruction), "}");
                    }),
      "],\"elementwise\":", Bool(facts.elementwise));
  if (!facts.elementwise) {
    absl::StrAppend(&json, ",\"notElementwiseBecause\":",
                    Quoted(facts.not_elementwise_because));
  }
  absl::StrAppend(
      &json, ",\"runsInSoftware\":", Bool(!kernel.unsupported.has_value()));
  if (kernel.unsupported.has_value()) {
    absl::StrAppend(
        &json, ",\"unsupported\":{\"line\":", kernel.unsupported->line,
        ",\"instruction\":", Quoted(kernel.unsupported->instruction), "}");
  }
  return json + "}";
}

}  // namespace

bool InspectedFile::Runs() const {
  for (const InspectedKernel& kernel : kernels) {
    if (kernel.unsupported.has_value()) return false;
  }
  return error.empty();
}

std::string InspectionText(const InspectedFile& file) {
  std::string text = absl::StrCat(file.path, "\n");
  for (const InspectedKernel& kernel : file.kernels) AppendKernel(kernel, text);
  if (!file.error.empty()) {
    bool first = true;
    for (const absl::string_view line :
         absl::StrSplit(absl::StripTrailingAsciiWhitespace(file.error), '\n')) {
      const absl::string_view shown = absl::StripTrailingAsciiWhitespace(line);
      if (shown.empty()) continue;
      absl::StrAppend(&text, first ? "  cannot run: " : "    ", shown, "\n");
      first = false;
    }
  }
  return text;
}

std::string InspectionJson(const InspectedFile& file) {
  std::string json = absl::StrCat("{\"file\":", Quoted(file.path));
  if (!file.error.empty()) {
    absl::StrAppend(&json, ",\"error\":", Quoted(file.error));
  }
  absl::StrAppend(&json, ",\"runs\":", Bool(file.Runs()), ",\"kernels\":[",
                  absl::StrJoin(file.kernels, ",",
                                [](std::string* out, const auto& kernel) {
                                  absl::StrAppend(out, KernelJson(kernel));
                                }),
                  "]}");
  return json;
}

}  // namespace graphd::graphctl
