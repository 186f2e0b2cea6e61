#include "tests/support/equality.h"

#include <cstring>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/status_macros.h"
#include "core/driver/driver_status.h"
#include "core/optimize/pipeline.h"
#include "tests/support/scramble.h"

namespace graphd {
namespace {

std::vector<std::string> AllPasses() {
  std::vector<std::string> names;
  for (const Pass& pass : Passes()) names.emplace_back(pass.name);
  return names;
}

absl::Status Compare(const OutputBytes& expected, const OutputBytes& found,
                     absl::string_view way) {
  for (const auto& [name, bytes] : expected) {
    const auto it = found.find(name);
    if (it == found.end() || it->second.size() != bytes.size()) {
      return absl::InternalError(absl::StrCat(
          way, ": output \"", name, "\" is missing or of another size"));
    }
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (it->second[i] == bytes[i]) continue;
      return absl::InternalError(
          absl::StrCat(way, ": output \"", name, "\" differs at byte ", i,
                       ": expected ", static_cast<uint8_t>(bytes[i]),
                       ", found ", static_cast<uint8_t>(it->second[i])));
    }
  }
  return absl::OkStatus();
}

CUgraphNodeType ExpectedType(const StepBody& body) {
  if (std::holds_alternative<KernelStep>(body))
    return CU_GRAPH_NODE_TYPE_KERNEL;
  if (std::holds_alternative<MemcpyStep>(body))
    return CU_GRAPH_NODE_TYPE_MEMCPY;
  if (std::holds_alternative<MemsetStep>(body))
    return CU_GRAPH_NODE_TYPE_MEMSET;
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

}  // namespace

std::map<std::string, std::string> RandomInputs(const Graph& graph,
                                                uint64_t seed) {
  std::mt19937_64 random(seed);
  std::map<std::string, std::string> inputs;
  for (const Buffer& buffer : graph.buffers) {
    if (buffer.role != BufferRole::kInput) continue;
    std::string bytes(buffer.size_bytes, '\0');
    if (buffer.element_type == ScalarType::kF32) {
      for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
        const float value =
            static_cast<float>(static_cast<int64_t>(random() >> 40) -
                               (int64_t{1} << 23)) /
            (1 << 23);
        std::memcpy(&bytes[i], &value, 4);
      }
    } else {
      for (char& c : bytes) c = static_cast<char>(random());
    }
    inputs[buffer.name] = std::move(bytes);
  }
  return inputs;
}

absl::StatusOr<PlanPtr> CompileWithout(const Graph& graph,
                                       const std::vector<ModuleImage>& images,
                                       const DeviceDescription& device,
                                       std::vector<std::string> skip_passes) {
  CompileOptions options;
  options.skip_passes = std::move(skip_passes);
  CompileClock clock;
  clock.now = [] { return absl::UnixEpoch(); };
  GRAPHD_ASSIGN_OR_RETURN(CompileResult result,
                          CompileGraph(graph, images, device, options, clock));
  return result.plan;
}

absl::StatusOr<OutputBytes> RunPlan(
    Device& device, PlanPtr plan, ExecutorKind executor,
    const std::map<std::string, std::string>& inputs, uint8_t poison) {
  GRAPHD_ASSIGN_OR_RETURN(const std::unique_ptr<Instance> instance,
                          device.Instantiate(plan, executor));
  if (executor == ExecutorKind::kCudaGraph) {
    GRAPHD_RETURN_IF_ERROR(CheckReadBack(device.driver(), *instance));
  }
  GRAPHD_RETURN_IF_ERROR(instance->Poison(poison));
  RunArguments arguments;
  for (const auto& [name, bytes] : inputs) {
    arguments.inputs.push_back({name, absl::MakeConstSpan(bytes)});
  }
  OutputBytes outputs;
  for (const PlanBinding& binding : plan->outputs) {
    outputs[binding.name].resize(
        plan->buffers[binding.buffer.index()].size_bytes);
  }
  for (auto& [name, bytes] : outputs) {
    arguments.outputs.push_back({name, absl::MakeSpan(bytes)});
  }
  RunReport report;
  GRAPHD_RETURN_IF_ERROR(instance->Run(arguments, report));
  return outputs;
}

absl::Status CheckAllWays(Device& device, const Graph& graph,
                          const std::vector<ModuleImage>& images, uint64_t seed,
                          int scrambles) {
  const auto inputs = RandomInputs(graph, seed);
  const std::vector<std::string> passes = AllPasses();
  GRAPHD_ASSIGN_OR_RETURN(
      const PlanPtr plain,
      CompileWithout(graph, images, device.description(), passes));
  GRAPHD_ASSIGN_OR_RETURN(
      const OutputBytes expected,
      RunPlan(device, plain, ExecutorKind::kSequential, inputs, 0x11));

  uint8_t poison = 0x21;
  const auto check = [&](PlanPtr plan, ExecutorKind executor,
                         absl::string_view way) -> absl::Status {
    poison = static_cast<uint8_t>(poison * 5 + 1);
    absl::StatusOr<OutputBytes> found =
        RunPlan(device, std::move(plan), executor, inputs, poison);
    if (!found.ok()) {
      return absl::Status(found.status().code(),
                          absl::StrCat(way, ": ", found.status().message()));
    }
    return Compare(expected, *found, way);
  };
  const auto both = [&](std::vector<std::string> skip) -> absl::Status {
    const std::string way =
        skip.empty() ? "all passes" : absl::StrCat("without ", skip[0]);
    GRAPHD_ASSIGN_OR_RETURN(
        const PlanPtr plan,
        CompileWithout(graph, images, device.description(), std::move(skip)));
    GRAPHD_RETURN_IF_ERROR(check(plan, ExecutorKind::kSequential,
                                 absl::StrCat(way, ", sequential")));
    return check(plan, ExecutorKind::kCudaGraph,
                 absl::StrCat(way, ", cuda_graph"));
  };
  GRAPHD_RETURN_IF_ERROR(
      check(plain, ExecutorKind::kCudaGraph, "no passes, cuda_graph"));
  GRAPHD_RETURN_IF_ERROR(both({}));
  for (const std::string& pass : passes) GRAPHD_RETURN_IF_ERROR(both({pass}));

  GRAPHD_ASSIGN_OR_RETURN(
      const PlanPtr optimised,
      CompileWithout(graph, images, device.description(), {}));
  for (int i = 0; i < scrambles; ++i) {
    GRAPHD_RETURN_IF_ERROR(
        check(std::make_shared<const Plan>(Scramble(*optimised, seed + i)),
              ExecutorKind::kSequential, absl::StrCat("scramble ", i)));
  }
  return absl::OkStatus();
}

absl::Status CheckReadBack(const DriverTable& driver,
                           const Instance& instance) {
  const Plan& plan = instance.plan();
  size_t count = 0;
  GRAPHD_RETURN_IF_ERROR(ToStatus(
      driver, driver.cuGraphGetNodes(instance.cuda_graph(), nullptr, &count),
      "counting nodes"));
  if (count != plan.steps.size()) {
    return absl::InternalError(absl::StrCat("the plan has ", plan.steps.size(),
                                            " steps, the CUDA graph has ",
                                            count, " nodes"));
  }
  std::vector<CUgraphNode> nodes(count);
  GRAPHD_RETURN_IF_ERROR(ToStatus(
      driver,
      driver.cuGraphGetNodes(instance.cuda_graph(), nodes.data(), &count),
      "reading nodes"));
  std::map<CUgraphNode, size_t> index;
  for (size_t i = 0; i < count; ++i) {
    index[nodes[i]] = i;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    GRAPHD_RETURN_IF_ERROR(ToStatus(
        driver, driver.cuGraphNodeGetType(nodes[i], &type), "node type"));
    if (type != ExpectedType(plan.steps[i].body)) {
      return absl::InternalError(absl::StrCat(
          "step \"", plan.steps[i].name, "\" became a node of type ", type));
    }
  }
  std::set<std::pair<size_t, size_t>> expected;
  const std::vector<int64_t> previous = PreviousOnStream(plan);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (previous[i] >= 0) expected.emplace(previous[i], i);
    for (StepId wait : plan.steps[i].waits) expected.emplace(wait.index(), i);
  }
  GRAPHD_RETURN_IF_ERROR(
      ToStatus(driver,
               driver.cuGraphGetEdges(instance.cuda_graph(), nullptr, nullptr,
                                      nullptr, &count),
               "counting edges"));
  std::vector<CUgraphNode> from(count), to(count);
  if (count > 0) {
    GRAPHD_RETURN_IF_ERROR(
        ToStatus(driver,
                 driver.cuGraphGetEdges(instance.cuda_graph(), from.data(),
                                        to.data(), nullptr, &count),
                 "reading edges"));
  }
  std::set<std::pair<size_t, size_t>> found;
  for (size_t i = 0; i < count; ++i)
    found.emplace(index[from[i]], index[to[i]]);
  if (found != expected) {
    return absl::InternalError(absl::StrCat("the plan has ", expected.size(),
                                            " edges, the CUDA graph has ",
                                            found.size(), " or others"));
  }
  return absl::OkStatus();
}

}  // namespace graphd
