// A Graph is what a client asks for: buffers, modules, nodes, parameters, and
// the order among the nodes.
//
// It is a plain value. Two graphs with the same content have the same digest
// (graph_digest.h) and share everything compiled from them. GraphBuilder makes
// one in code, core/codec from a message, and Validate (validate.h) says
// everything that is wrong with one. How a graph runs is a Plan
// (core/plan/plan.h).
//
// Thread safety: immutable once built.
#ifndef GRAPHD_CORE_GRAPH_GRAPH_H_
#define GRAPHD_CORE_GRAPH_GRAPH_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/ids.h"
#include "core/graph/scalar.h"

namespace graphd {

enum class BufferRole : uint8_t {
  kInput,   // filled by the client for each run; nodes may write the run's own
            // copy
  kOutput,  // written by nodes, returned to the client
  kTransient,  // lives inside one run; the planner places it and lends its
               // bytes
};

enum class MemorySpace : uint8_t {
  kDevice,  // kernels see it; the compiler inserts the copies for inputs and
            // outputs
  kHost,    // pinned staging memory; only copies touch it
};

struct Buffer {
  std::string name;
  BufferRole role = BufferRole::kTransient;
  MemorySpace space = MemorySpace::kDevice;
  uint64_t size_bytes = 0;
  std::optional<ScalarType> element_type;  // with `shape`: product(shape) *
                                           // size of the element == size_bytes
  std::vector<uint64_t>
      shape;  // empty: one-dimensional, size_bytes / element size
};

enum class ModuleKind : uint8_t { kCudaSource, kPtx, kCubin };

struct Module {
  std::string name;  // how nodes refer to it
  ModuleKind kind = ModuleKind::kCudaSource;
  std::string code;  // source text, PTX text, or cubin/fatbin bytes
  std::vector<std::string>
      options;  // NVRTC options, from an allowed list; source only
  std::vector<std::string> name_expressions;  // templates to instantiate, NVRTC
                                              // name expressions; source only
};

// A named scalar that a run may set: a kernel argument or a launch dimension.
// Never folded by the compiler.
struct Parameter {
  std::string name;
  ScalarType type = ScalarType::kF32;
  std::optional<Scalar> default_value;
  std::optional<Scalar> minimum;  // inclusive
  std::optional<Scalar> maximum;  // inclusive
};

// Bytes of one memory object: `rows` rows of `width_bytes`, `pitch_bytes`
// apart. One row is a plain range.
struct ByteRange {
  uint64_t offset_bytes = 0;
  uint64_t width_bytes = 0;
  uint64_t pitch_bytes = 0;  // meaningful when rows > 1; at least width_bytes
  uint64_t rows = 1;

  // One past the last byte touched.
  uint64_t end_bytes() const {
    return rows == 0 || width_bytes == 0
               ? offset_bytes
               : offset_bytes + (rows - 1) * pitch_bytes + width_bytes;
  }
  bool operator==(const ByteRange&) const = default;
};

// Whether the two ranges share a byte; exact, also for rows with gaps and
// different pitches, in time logarithmic in the pitches.
// Requires: end_bytes() of both does not overflow.
bool Overlaps(const ByteRange& a, const ByteRange& b);
// Whether every byte of `inner` is in `outer`; as exact and as fast.
// Requires: end_bytes() of both does not overflow.
bool Contains(const ByteRange& outer, const ByteRange& inner);
// False when end_bytes() would overflow.
bool EndFits(const ByteRange& range);
// The same bytes, as one row when they have no gaps.
ByteRange Normalized(const ByteRange& range);

// What a node does to a range of a buffer. kMayWrite orders but defines
// nothing; kMustWrite writes every byte.
enum class AccessKind : uint8_t { kMayRead, kMayWrite, kMustWrite };

inline bool IsWrite(AccessKind kind) { return kind != AccessKind::kMayRead; }

struct Access {
  BufferId buffer;
  ByteRange range;
  AccessKind kind = AccessKind::kMayRead;
  bool operator==(const Access&) const = default;
};

// The address of a buffer plus an offset, as a kernel's pointer argument.
struct BufferArgument {
  BufferId buffer;
  uint64_t offset_bytes = 0;
};

struct ParameterArgument {
  ParameterId parameter;
};

// A struct passed by value; each relocation puts a buffer's address into its 8
// bytes.
struct BytesArgument {
  struct Relocation {
    uint64_t offset_bytes = 0;  // inside `bytes`, multiple of 8
    BufferId buffer;
    uint64_t buffer_offset_bytes = 0;
  };
  std::string bytes;
  std::vector<Relocation> relocations;
};

using Argument =
    std::variant<BufferArgument, Scalar, ParameterArgument, BytesArgument>;

// One launch dimension: a number, or a parameter that a run sets.
struct LaunchDimension {
  uint32_t value = 1;
  ParameterId parameter;  // valid(): the value comes from the run
};

using LaunchShape = std::array<LaunchDimension, 3>;

struct KernelNode {
  ModuleId module;
  std::string function;  // PTX entry name, or the plain C++ name when unique in
                         // the module, or a name expression
  LaunchShape grid;
  LaunchShape block;
  uint32_t shared_bytes = 0;  // dynamic shared memory
  std::vector<Argument> args;
  bool accesses_declared = false;  // false: derived from the PTX
  std::vector<Access> accesses;
};

// A variable of a module, as one end of a copy.
struct ModuleSymbol {
  ModuleId module;
  std::string symbol;
};

// One end of a copy.
struct CopyEnd {
  std::variant<BufferId, ModuleSymbol> place;
  uint64_t offset_bytes = 0;
  uint64_t pitch_bytes =
      0;  // distance between rows; meaningful when height > 1
};

// Copies `height` rows of `width_bytes`; direction follows from the spaces of
// the ends.
struct MemcpyNode {
  CopyEnd src;
  CopyEnd dst;
  uint64_t width_bytes = 0;
  uint64_t height = 1;
};

// Fills `height` rows of `width` elements with a pattern of 1, 2 or 4 bytes.
struct MemsetNode {
  BufferId dst;
  uint64_t offset_bytes = 0;
  uint32_t pattern = 0;
  uint32_t pattern_bytes = 1;  // 1, 2 or 4
  uint64_t width = 0;          // elements
  uint64_t height = 1;
  uint64_t pitch_bytes = 0;  // meaningful when height > 1
};

// A barrier to hang order on.
struct EmptyNode {};

using NodeBody = std::variant<KernelNode, MemcpyNode, MemsetNode, EmptyNode>;

// "kernel", "memcpy", "memset", "empty".
absl::string_view KindName(const NodeBody& body);

// Advice; never part of the graph's digest.
struct Hints {
  std::optional<uint64_t> cost_ns;
  std::optional<uint32_t> stream;
  std::optional<int32_t> priority;
  std::optional<bool> fusible;  // unset: the compiler proves it; false forbids;
                                // true never replaces the proof
  bool operator==(const Hints&) const = default;
};

struct Node {
  std::string name;
  NodeBody body;
  std::vector<NodeId> after;  // order that no access shows
  Hints hints;
};

enum class GraphOrder : uint8_t {
  kFromAccesses,  // declaration order decides between conflicting accesses
  kExplicit,      // only `after` counts; a conflict without a path is a race
};

// Bytes of a dense array; nullopt on overflow.
std::optional<uint64_t> ShapeBytes(ScalarType element,
                                   const std::vector<uint64_t>& shape);

// What a fill writes.
ByteRange FilledRange(const MemsetNode& node);
// What a copy touches at one of its ends.
ByteRange CopiedRange(const MemcpyNode& node, const CopyEnd& end);

struct Graph {
  std::vector<Buffer> buffers;
  std::vector<Module> modules;
  std::vector<Parameter> parameters;
  std::vector<Node> nodes;  // declaration order
  GraphOrder order = GraphOrder::kFromAccesses;
  std::string description;  // not part of the digest

  const Buffer& buffer(BufferId id) const { return buffers[id.index()]; }
  const Module& module(ModuleId id) const { return modules[id.index()]; }
  const Parameter& parameter(ParameterId id) const {
    return parameters[id.index()];
  }
  const Node& node(NodeId id) const { return nodes[id.index()]; }
};

}  // namespace graphd

#endif  // GRAPHD_CORE_GRAPH_GRAPH_H_
