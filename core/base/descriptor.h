// Descriptor owns a file descriptor and closes it once.
//
// Thread safety: thread-compatible.
#ifndef GRAPHD_CORE_BASE_DESCRIPTOR_H_
#define GRAPHD_CORE_BASE_DESCRIPTOR_H_

#include <unistd.h>

#include <utility>

namespace graphd {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(Descriptor&& other) noexcept
      : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) {
      Close();
      number_ = std::exchange(other.number_, -1);
    }
    return *this;
  }

  void Close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }
  // Gives up ownership.
  int Release() { return std::exchange(number_, -1); }

  int number() const { return number_; }
  bool valid() const { return number_ >= 0; }

 private:
  int number_ = -1;
};

}  // namespace graphd

#endif  // GRAPHD_CORE_BASE_DESCRIPTOR_H_
