#include "tests/support/random_graph.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace graphd {
namespace {

constexpr uint32_t kBlock = 64;

// z[i] = body(x[index], y[index]) for i < n. Bodies see the loaded words in %x
// and %y and leave the result in %z; %i is the element, %n their number.
constexpr char kKernel[] = R"(
.visible .entry NAME(.param .u64 px, .param .u64 py, .param .u64 pz, .param .u32 pn)
{
  .reg .pred %p;
  .reg .b32 %i, %j, %n, %a, %b, %x, %y, %z;
  .reg .b64 %ax, %ay, %az, %o;
  ld.param.u64 %ax, [px];
  ld.param.u64 %ay, [py];
  ld.param.u64 %az, [pz];
  ld.param.u32 %n, [pn];
  mov.u32 %a, %ctaid.x;
  mov.u32 %b, %ntid.x;
  mov.u32 %i, %tid.x;
  mad.lo.s32 %i, %a, %b, %i;
  setp.ge.u32 %p, %i, %n;
  @%p bra DONE;
  cvta.to.global.u64 %ax, %ax;
  cvta.to.global.u64 %ay, %ay;
  cvta.to.global.u64 %az, %az;
  INDEX
  mul.wide.u32 %o, %j, 4;
  add.s64 %ax, %ax, %o;
  ld.global.u32 %x, [%ax];
  mul.wide.u32 %o, %i, 4;
  add.s64 %ay, %ay, %o;
  ld.global.u32 %y, [%ay];
  BODY
  add.s64 %az, %az, %o;
  st.global.u32 [%az], %z;
DONE:
  ret;
}
)";

struct KernelKind {
  const char* name;
  const char* index;
  const char* body;
  bool elementwise;  // reads x only at i, so that x may be z
};

constexpr KernelKind kKinds[] = {
    {"sum", "mov.u32 %j, %i;", "add.u32 %z, %x, %y;", true},
    {"mix", "mov.u32 %j, %i;",
     "mul.lo.u32 %z, %x, 2654435761; xor.b32 %z, %z, %y;", true},
    {"twist", "mov.u32 %j, %i;", "shl.b32 %z, %x, 7; sub.u32 %z, %z, %y;",
     true},
    {"reverse", "sub.u32 %j, %n, %i; sub.u32 %j, %j, 1;", "xor.b32 %z, %x, %y;",
     false},
    {"neighbour", "add.u32 %j, %i, 1; rem.u32 %j, %j, %n;",
     "add.u32 %z, %x, %y;", false},
};

std::string ModuleText() {
  std::string text = ".version 7.0\n.target sm_75\n.address_size 64\n";
  for (const KernelKind& kind : kKinds) {
    text += absl::StrReplaceAll(
        kKernel,
        {{"NAME", kind.name}, {"INDEX", kind.index}, {"BODY", kind.body}});
  }
  return text;
}

class Generator {
 public:
  explicit Generator(const RandomGraphOptions& options)
      : options_(options), random_(options.seed) {
    graph_.order = options.order;
    graph_.modules.push_back(Module{"m", ModuleKind::kPtx, ModuleText()});
    AddBuffer("in", BufferRole::kInput);
    AddBuffer("out", BufferRole::kOutput);
    for (uint32_t i = 0; i < options.buffers; ++i) {
      const uint32_t dice = Below(8);
      AddBuffer(absl::StrCat("b", i), dice == 0   ? BufferRole::kInput
                                      : dice == 1 ? BufferRole::kOutput
                                                  : BufferRole::kTransient);
    }
  }

  Graph Make() {
    while (graph_.nodes.size() < options_.nodes) AddNode();
    // What must be written and was not is written last.
    for (size_t i = 0; i < graph_.buffers.size(); ++i) {
      if (!defined_[i] && graph_.buffers[i].role != BufferRole::kInput) {
        AddCopy(Defined(), BufferId(i), 0, 0, bytes());
      }
    }
    if (options_.order == GraphOrder::kExplicit) OrderByHazards();
    return std::move(graph_);
  }

 private:
  uint64_t bytes() const { return uint64_t{options_.elements} * 4; }
  uint32_t Below(uint32_t limit) {
    return static_cast<uint32_t>(random_() % limit);
  }

  void AddBuffer(std::string name, BufferRole role) {
    Buffer buffer;
    buffer.name = std::move(name);
    buffer.role = role;
    buffer.size_bytes = bytes();
    graph_.buffers.push_back(std::move(buffer));
    defined_.push_back(role == BufferRole::kInput);
  }

  BufferId Any() { return BufferId(Below(graph_.buffers.size())); }
  BufferId Defined() {
    while (true) {
      const BufferId id = Any();
      if (defined_[id.index()]) return id;
    }
  }

  void AddNode() {
    switch (Below(8)) {
      case 0:
        return AddFill();
      case 1:
        return AddPartialCopy();
      case 2:
        return AddRowsCopy();
      case 3:
        Push(EmptyNode{}, {});
        return;
      default:
        return AddKernel();
    }
  }

  void AddKernel() {
    const KernelKind& kind = kKinds[Below(std::size(kKinds))];
    const BufferId x = Defined();
    const BufferId y = Defined();
    BufferId z = Any();
    while (!kind.elementwise && z == x) z = Any();
    KernelNode kernel;
    kernel.module = ModuleId(0);
    kernel.function = kind.name;
    kernel.grid[0].value = (options_.elements + kBlock - 1) / kBlock;
    kernel.block[0].value = kBlock;
    kernel.args = {BufferArgument{x}, BufferArgument{y}, BufferArgument{z},
                   Scalar::U32(options_.elements)};
    Push(kernel, {Read(x), Read(y), Write(z)});
    defined_[z.index()] = true;
  }

  void AddFill() {
    const BufferId dst = Any();
    MemsetNode fill;
    fill.dst = dst;
    fill.pattern = static_cast<uint32_t>(random_());
    fill.pattern_bytes = 4;
    fill.width = options_.elements;
    if (defined_[dst.index()] && Below(2) == 0) {
      fill.width = 1 + Below(options_.elements / 2);
      fill.offset_bytes = uint64_t{4} * Below(options_.elements / 2);
    }
    Access access = Write(dst);
    access.range = {fill.offset_bytes, fill.width * 4};
    Push(fill, {access});
    defined_[dst.index()] = true;
  }

  void AddCopy(BufferId src, BufferId dst, uint64_t src_offset,
               uint64_t dst_offset, uint64_t width) {
    MemcpyNode copy;
    copy.src = {src, src_offset};
    copy.dst = {dst, dst_offset};
    copy.width_bytes = width;
    Access read = Read(src);
    read.range = {src_offset, width};
    Access write = Write(dst);
    write.range = {dst_offset, width};
    Push(copy, {read, write});
    if (width == bytes()) defined_[dst.index()] = true;
  }

  void AddPartialCopy() {
    const BufferId src = Defined();
    const BufferId dst = Any();
    if (src == dst) return;
    if (!defined_[dst.index()]) return AddCopy(src, dst, 0, 0, bytes());
    const uint64_t half = bytes() / 2;
    AddCopy(src, dst, Below(half), Below(half), 1 + Below(half));
  }

  // Every other 8 bytes of 4 rows, between two defined buffers.
  void AddRowsCopy() {
    const BufferId src = Defined();
    const BufferId dst = Defined();
    if (src == dst) return;
    MemcpyNode copy;
    copy.src = {src, 0, 16};
    copy.dst = {dst, 8, 32};
    copy.width_bytes = 8;
    copy.height = 4;
    Access read = Read(src);
    read.range = {0, 8, 16, 4};
    Access write = Write(dst);
    write.range = {8, 8, 32, 4};
    Push(copy, {read, write});
  }

  Access Read(BufferId buffer) const {
    return {buffer, {0, bytes()}, AccessKind::kMayRead};
  }
  Access Write(BufferId buffer) const {
    return {buffer, {0, bytes()}, AccessKind::kMustWrite};
  }

  void Push(NodeBody body, std::vector<Access> accesses) {
    Node node;
    node.name = absl::StrCat("n", graph_.nodes.size());
    node.body = std::move(body);
    if (!graph_.nodes.empty() && Below(6) == 0) {
      node.after.push_back(NodeId(Below(graph_.nodes.size())));
    }
    graph_.nodes.push_back(std::move(node));
    accesses_.push_back(std::move(accesses));
  }

  void OrderByHazards() {
    for (size_t later = 0; later < graph_.nodes.size(); ++later) {
      std::vector<NodeId>& after = graph_.nodes[later].after;
      for (size_t earlier = 0; earlier < later; ++earlier) {
        if (Conflict(accesses_[earlier], accesses_[later])) {
          after.push_back(NodeId(earlier));
        }
      }
      std::sort(after.begin(), after.end());
      after.erase(std::unique(after.begin(), after.end()), after.end());
    }
  }

  static bool Conflict(const std::vector<Access>& a,
                       const std::vector<Access>& b) {
    for (const Access& x : a) {
      for (const Access& y : b) {
        if (x.buffer == y.buffer && (IsWrite(x.kind) || IsWrite(y.kind)) &&
            Overlaps(x.range, y.range)) {
          return true;
        }
      }
    }
    return false;
  }

  RandomGraphOptions options_;
  std::mt19937_64 random_;
  Graph graph_;
  std::vector<bool> defined_;                  // by buffer: every byte
  std::vector<std::vector<Access>> accesses_;  // by node
};

}  // namespace

Graph RandomGraph(const RandomGraphOptions& options) {
  return Generator(options).Make();
}

}  // namespace graphd
