#include "core/plan/verify_references.h"

#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"

namespace graphd {
namespace {

template <typename... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InternalError(absl::StrCat(parts...));
}

class ReferenceVerifier {
 public:
  explicit ReferenceVerifier(const Plan& plan) : plan_(plan) {}

  absl::Status Verify() {
    GRAPHD_RETURN_IF_ERROR(Buffers());
    if (plan_.stream_count == 0) return Wrong("the plan has no stream");
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      if (const absl::Status status = Step(i); !status.ok()) {
        return Wrong("step \"", plan_.steps[i].name, "\": ", status.message());
      }
    }
    return Bindings();
  }

 private:
  absl::Status Buffers() {
    std::set<std::pair<ImageId, std::string>> variables;
    for (const PlanBuffer& buffer : plan_.buffers) {
      const bool variable = buffer.place == BufferPlace::kModuleVariable;
      if (variable || buffer.variable_image) {
        if (buffer.image.index() >= plan_.images.size() ||
            buffer.symbol.empty()) {
          return Wrong("buffer \"", buffer.name,
                       "\" is a variable of no image");
        }
      }
      if (variable) {
        if (!variables.insert({buffer.image, buffer.symbol}).second) {
          return Wrong("buffer \"", buffer.name,
                       "\" is a variable that another buffer is too");
        }
        continue;
      }
      const uint64_t arena = buffer.place == BufferPlace::kHostArena
                                 ? plan_.host_arena_bytes
                                 : plan_.device_arena_bytes;
      if (buffer.size_bytes > arena ||
          buffer.offset_bytes > arena - buffer.size_bytes) {
        return Wrong("buffer \"", buffer.name, "\" has ", buffer.size_bytes,
                     " bytes at ", buffer.offset_bytes, " of an arena of ",
                     arena);
      }
      if (buffer.variable_image && buffer.place != BufferPlace::kHostArena) {
        return Wrong("buffer \"", buffer.name,
                     "\" holds a variable's initial bytes outside the host "
                     "arena");
      }
    }
    return absl::OkStatus();
  }

  absl::Status Step(size_t index) {
    const PlanStep& step = plan_.steps[index];
    if (step.stream.index() >= plan_.stream_count) {
      return Wrong("stream ", step.stream.value(), " of ", plan_.stream_count);
    }
    for (size_t i = 0; i < step.waits.size(); ++i) {
      const StepId wait = step.waits[i];
      if (wait.index() >= index) {
        return Wrong("waits for step ", wait.value(),
                     ", which is not before it");
      }
      if (i > 0 && step.waits[i - 1] >= wait) {
        return Wrong("its waits are not ascending");
      }
      if (plan_.steps[wait.index()].stream == step.stream) {
        return Wrong("waits for step ", wait.value(), " of its own stream");
      }
    }
    for (const Access& access : step.accesses) {
      GRAPHD_RETURN_IF_ERROR(Range(access.buffer, access.range));
    }
    return std::visit([&](const auto& body) { return Body(body); }, step.body);
  }

  absl::Status Body(const EmptyStep&) { return absl::OkStatus(); }

  absl::Status Body(const MemsetStep& fill) {
    if (fill.pattern_bytes != 1 && fill.pattern_bytes != 2 &&
        fill.pattern_bytes != 4) {
      return Wrong("fills with a pattern of ", fill.pattern_bytes, " bytes");
    }
    return Range(fill.dst, FilledRange(fill));
  }

  absl::Status Body(const MemcpyStep& copy) {
    GRAPHD_RETURN_IF_ERROR(
        Range(copy.src, {copy.src_offset_bytes, copy.width_bytes,
                         copy.src_pitch_bytes, copy.height}));
    return Range(copy.dst, {copy.dst_offset_bytes, copy.width_bytes,
                            copy.dst_pitch_bytes, copy.height});
  }

  absl::Status Body(const KernelStep& kernel) {
    if (kernel.image.index() >= plan_.images.size()) {
      return Wrong("runs a kernel of no image");
    }
    if (kernel.function.empty()) return Wrong("runs a kernel without a name");
    for (const LaunchShape* shape : {&kernel.grid, &kernel.block}) {
      for (const LaunchDimension& dimension : *shape) {
        if (dimension.parameter.valid()) {
          GRAPHD_RETURN_IF_ERROR(CheckParameter(dimension.parameter));
        } else if (dimension.value == 0) {
          return Wrong("a launch dimension is 0");
        }
      }
    }
    for (const Argument& argument : kernel.args) {
      if (const auto* buffer = std::get_if<BufferArgument>(&argument)) {
        GRAPHD_RETURN_IF_ERROR(Address(buffer->buffer, buffer->offset_bytes));
      } else if (const auto* named =
                     std::get_if<ParameterArgument>(&argument)) {
        GRAPHD_RETURN_IF_ERROR(CheckParameter(named->parameter));
      } else if (const auto* bytes = std::get_if<BytesArgument>(&argument)) {
        for (const BytesArgument::Relocation& r : bytes->relocations) {
          if (bytes->bytes.size() < 8 ||
              r.offset_bytes > bytes->bytes.size() - 8) {
            return Wrong("puts an address at byte ", r.offset_bytes,
                         " of a struct of ", bytes->bytes.size());
          }
          GRAPHD_RETURN_IF_ERROR(Address(r.buffer, r.buffer_offset_bytes));
        }
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckParameter(ParameterId parameter) const {
    if (parameter.index() < plan_.parameters.size()) return absl::OkStatus();
    return Wrong("uses parameter ", parameter.value(), " of ",
                 plan_.parameters.size());
  }

  absl::Status Address(BufferId id, uint64_t offset_bytes) const {
    if (id.index() >= plan_.buffers.size()) return Wrong("passes no buffer");
    const PlanBuffer& buffer = plan_.buffers[id.index()];
    if (buffer.place == BufferPlace::kHostArena) {
      return Wrong("passes host buffer \"", buffer.name, "\" to a kernel");
    }
    if (offset_bytes > buffer.size_bytes) {
      return Wrong("passes byte ", offset_bytes, " of buffer \"", buffer.name,
                   "\", which has ", buffer.size_bytes);
    }
    return absl::OkStatus();
  }

  absl::Status Range(BufferId id, const ByteRange& range) const {
    if (id.index() >= plan_.buffers.size()) return Wrong("touches no buffer");
    const PlanBuffer& buffer = plan_.buffers[id.index()];
    if (!EndFits(range) || range.end_bytes() > buffer.size_bytes) {
      return Wrong("leaves buffer \"", buffer.name, "\" of ", buffer.size_bytes,
                   " bytes");
    }
    return absl::OkStatus();
  }

  // Clients' bytes lie in host buffers; nothing writes an input, and no buffer
  // is bound twice.
  absl::Status Bindings() {
    std::set<std::string> inputs, outputs;
    std::set<BufferId> bound;
    for (const PlanBinding& binding : plan_.inputs) {
      GRAPHD_RETURN_IF_ERROR(Binding(binding, "input", inputs, bound));
    }
    for (const PlanBinding& binding : plan_.outputs) {
      GRAPHD_RETURN_IF_ERROR(Binding(binding, "output", outputs, bound));
    }
    std::vector<bool> is_input(plan_.buffers.size(), false);
    for (const PlanBinding& binding : plan_.inputs) {
      is_input[binding.buffer.index()] = true;
    }
    absl::Status status;
    for (const PlanStep& step : plan_.steps) {
      VisitAccesses(step, [&](const Access& access) {
        if (IsWrite(access.kind) && is_input[access.buffer.index()]) {
          status = Wrong("step \"", step.name,
                         "\" writes where the client's input lies: \"",
                         plan_.buffers[access.buffer.index()].name, "\"");
        }
      });
    }
    return status;
  }

  absl::Status Binding(const PlanBinding& binding, absl::string_view noun,
                       std::set<std::string>& names,
                       std::set<BufferId>& bound) const {
    if (binding.buffer.index() >= plan_.buffers.size() ||
        plan_.buffers[binding.buffer.index()].place !=
            BufferPlace::kHostArena ||
        plan_.buffers[binding.buffer.index()].variable_image) {
      return Wrong(noun, " \"", binding.name,
                   "\" is bound to no host buffer of its own");
    }
    if (!names.insert(binding.name).second ||
        !bound.insert(binding.buffer).second) {
      return Wrong(noun, " \"", binding.name, "\" is bound twice");
    }
    return absl::OkStatus();
  }

  const Plan& plan_;
};

}  // namespace

absl::Status VerifyReferences(const Plan& plan) {
  return ReferenceVerifier(plan).Verify();
}

absl::Status VerifyNodes(const Plan& plan,
                         const std::vector<std::string>* nodes) {
  absl::flat_hash_set<absl::string_view> steps, covered;
  for (const PlanStep& step : plan.steps) {
    if (!steps.insert(step.name).second) {
      return Wrong("two steps are called \"", step.name, "\"");
    }
    for (const std::string& node : step.nodes) {
      if (!covered.insert(node).second) {
        return Wrong("node \"", node, "\" is carried out twice");
      }
    }
  }
  if (nodes == nullptr) return absl::OkStatus();
  for (const std::string& node : *nodes) {
    if (!covered.contains(node)) {
      return Wrong("node \"", node, "\" is not carried out");
    }
  }
  if (covered.size() != nodes->size()) {
    return Wrong(covered.size(), " nodes are carried out; expected ",
                 nodes->size());
  }
  return absl::OkStatus();
}

std::vector<Access> AccessesOf(const PlanStep& step) {
  std::vector<Access> accesses;
  VisitAccesses(step, [&](const Access& a) { accesses.push_back(a); });
  return accesses;
}

}  // namespace graphd
