#include "core/optimize/check_kernel.h"

#include <array>
#include <optional>
#include <variant>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/graph/validation.h"
#include "core/optimize/derive_accesses.h"

namespace graphd {
namespace {

using ptx::Signature;

constexpr uint32_t kPointerBytes = 8;

bool IsFloatType(ptx::Type type) {
  return type == ptx::Type::kF16 || type == ptx::Type::kBF16 ||
         type == ptx::Type::kF32 || type == ptx::Type::kF64;
}

// .b types take anything of their size.
bool IsIntegerType(ptx::Type type) {
  return type >= ptx::Type::kS8 && type <= ptx::Type::kU64;
}

class KernelChecker {
 public:
  KernelChecker(const Graph& graph, const KernelNode& node,
                const TableKernel& kernel, const std::string& path,
                Violations& violations)
      : graph_(graph),
        node_(node),
        kernel_(kernel),
        path_(path),
        violations_(violations) {}

  void Check() {
    CheckArguments();
    CheckLaunchLimits();
    if (node_.accesses_declared) {
      CheckDeclaration();
    } else {
      CheckRoots();
    }
  }

 private:
  template <typename... Parts>
  void Add(const std::string& path, const Parts&... parts) {
    violations_.Add(path, absl::StrCat(parts...));
  }
  std::string Kernel() const {
    return absl::StrCat("kernel ", Quoted(kernel_.entry));
  }

  void CheckArguments() {
    const std::vector<Signature::Param>& params =
        kernel_.facts->signature.params;
    if (node_.args.size() != params.size()) {
      Add(Field(path_, "args"), "has ", node_.args.size(), " entries; ",
          Kernel(), " takes ", params.size());
      return;
    }
    for (size_t i = 0; i < params.size(); ++i) {
      CheckArgument(node_.args[i], params[i], At(path_, "args", i));
    }
  }

  void CheckArgument(const Argument& argument, const Signature::Param& param,
                     const std::string& at) {
    if (std::holds_alternative<BufferArgument>(argument)) {
      if (param.size_bytes != kPointerBytes || IsFloatType(param.type)) {
        Add(at, "is a buffer, whose address takes 8 bytes; ", Kernel(),
            " takes ", Describe(param));
      }
    } else if (const auto* scalar = std::get_if<Scalar>(&argument)) {
      CheckNumber(scalar->type, "", param, at);
    } else if (const auto* named = std::get_if<ParameterArgument>(&argument)) {
      const Parameter& parameter = graph_.parameter(named->parameter);
      CheckNumber(parameter.type,
                  absl::StrCat("parameter ", Quoted(parameter.name), " "),
                  param, at);
    } else {
      const auto& bytes = std::get<BytesArgument>(argument);
      if (bytes.bytes.size() != param.size_bytes) {
        Add(at, "is ", bytes.bytes.size(), " bytes, ", Kernel(), " takes ",
            param.size_bytes);
      }
    }
  }

  static std::string Describe(const Signature::Param& param) {
    return param.is_array
               ? absl::StrCat("a struct of ", param.size_bytes, " bytes")
               : absl::StrCat(ptx::Name(param.type), " of ", param.size_bytes,
                              " bytes");
  }

  void CheckNumber(ScalarType type, absl::string_view what,
                   const Signature::Param& param, const std::string& at) {
    if (SizeBytes(type) != param.size_bytes) {
      Add(at, what, "is ", SizeBytes(type), " bytes (", Name(type), "), ",
          Kernel(), " takes ", param.size_bytes);
    } else if (!param.is_array &&
               ((IsFloat(type) && IsIntegerType(param.type)) ||
                (!IsFloat(type) && IsFloatType(param.type)))) {
      Add(at, what, "is ", Name(type), ", ", Kernel(), " takes ",
          ptx::Name(param.type));
    }
  }

  // The largest value that the dimension may take.
  uint64_t Most(const LaunchDimension& dimension) const {
    if (!dimension.parameter.valid()) return dimension.value;
    return graph_.parameter(dimension.parameter).maximum->bits;
  }

  void CheckLaunchLimits() {
    for (const std::string& directive : kernel_.code->directives) {
      absl::string_view text = directive;
      const bool exact = absl::ConsumePrefix(&text, ".reqntid");
      if (!exact && !absl::ConsumePrefix(&text, ".maxntid")) continue;
      std::array<uint64_t, 3> numbers{1, 1, 1};
      size_t axis = 0;
      for (const absl::string_view number :
           absl::StrSplit(text, absl::ByAnyChar(" ,\t;"), absl::SkipEmpty())) {
        if (axis == 3 || !absl::SimpleAtoi(number, &numbers[axis++])) return;
      }
      CheckBlock(numbers, exact);
    }
  }

  void CheckBlock(const std::array<uint64_t, 3>& numbers, bool exact) {
    const std::string limit =
        absl::StrCat(numbers[0], " x ", numbers[1], " x ", numbers[2]);
    uint64_t threads = 1;
    bool differs = false;
    std::string found;
    for (size_t axis = 0; axis < 3; ++axis) {
      const LaunchDimension& dimension = node_.block[axis];
      threads *= Most(dimension);
      differs |=
          dimension.parameter.valid() || dimension.value != numbers[axis];
      absl::StrAppend(&found, axis == 0 ? "" : " x ", Most(dimension));
    }
    if (exact && differs) {
      Add(Field(path_, "block"), "is ", found, "; ", Kernel(),
          " runs in blocks of ", limit, " only (.reqntid)");
    } else if (!exact && threads > numbers[0] * numbers[1] * numbers[2]) {
      Add(Field(path_, "block"), "has up to ", threads, " threads; ", Kernel(),
          " takes at most ", limit, " (.maxntid)");
    }
  }

  // Accesses follow from arguments only if each address comes from one.
  void CheckRoots() {
    for (const ptx::KernelFacts::Unrooted& unrooted : kernel_.facts->unrooted) {
      Add(Field(path_, "accesses"), "is missing; ", Kernel(), " line ",
          unrooted.line, ": the address of ", unrooted.instruction,
          " comes from no argument, so what it touches must be declared");
      return;
    }
    if (node_.args.size() != kernel_.facts->signature.params.size()) return;
    for (const ptx::MemoryAccess& access : kernel_.facts->accesses) {
      if (!access.parameter.has_value()) continue;
      if (RootOf(node_.args[*access.parameter], access.parameter_offset_bytes)
              .has_value()) {
        continue;
      }
      const std::string at = At(path_, "args", *access.parameter);
      if (violations_.Has(at)) continue;
      Add(at, "is no buffer at byte ", access.parameter_offset_bytes, "; ",
          Kernel(), " line ", access.line,
          " takes an address from there, so pass a buffer or declare what the "
          "node touches");
    }
  }

  void CheckDeclaration() {
    if (node_.args.size() != kernel_.facts->signature.params.size()) return;
    for (const ptx::MemoryAccess& access : kernel_.facts->accesses) {
      if (!access.parameter.has_value()) continue;
      const std::optional<BufferRoot> root =
          RootOf(node_.args[*access.parameter], access.parameter_offset_bytes);
      if (!root.has_value()) continue;
      bool declared = false;
      for (const Access& candidate : node_.accesses) {
        declared |= candidate.buffer == root->buffer &&
                    IsWrite(candidate.kind) == access.is_store;
      }
      const std::string at = Field(path_, "accesses");
      if (declared || violations_.Has(at)) continue;
      Add(at, "declares no ", access.is_store ? "write" : "read", " of buffer ",
          Quoted(graph_.buffer(root->buffer).name), "; ", Kernel(), " line ",
          access.line, access.is_store ? " stores to" : " loads from",
          " argument ", *access.parameter);
    }
  }

  const Graph& graph_;
  const KernelNode& node_;
  const TableKernel& kernel_;
  const std::string& path_;
  Violations& violations_;
};

}  // namespace

void CheckKernelNode(const Graph& graph, const KernelNode& node,
                     const TableKernel& kernel, const std::string& path,
                     Violations& violations) {
  KernelChecker(graph, node, kernel, path, violations).Check();
}

}  // namespace graphd
