// tensor random, show, diff, convert.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "client/graphctl/command.h"
#include "client/graphctl/file_bytes.h"
#include "client/graphctl/tensor_arithmetic.h"
#include "client/graphctl/tensor_file.h"
#include "core/base/digest.h"
#include "core/base/status_macros.h"

namespace graphd::graphctl {
namespace {

struct RandomFlags {
  std::string shape;
  std::string type = "f32";
  uint64_t seed = 0;
  double low = 0;
  std::optional<double> high;
  std::string output;
};

absl::StatusOr<int> Random(const RandomFlags& flags) {
  GRAPHD_ASSIGN_OR_RETURN(const ScalarType type,
                          ParseType("--dtype", flags.type));
  GRAPHD_ASSIGN_OR_RETURN(auto shape, ParseShape(flags.shape));
  double high = flags.high.value_or(IsFloat(type) ? 1 : 100);
  if (type == ScalarType::kBool) high = flags.high.value_or(2);
  GRAPHD_ASSIGN_OR_RETURN(
      const Tensor tensor,
      Local(RandomTensor(type, std::move(shape), flags.seed, flags.low, high)));
  GRAPHD_RETURN_IF_ERROR(Local(WriteTensorFile(flags.output, tensor)));
  return kDone;
}

struct ShowFlags {
  std::string file;
  uint64_t limit = 10;
};

absl::StatusOr<int> Show(Command& command, const ShowFlags& flags) {
  GRAPHD_ASSIGN_OR_RETURN(const Tensor tensor,
                          Local(ReadTensorFile(flags.file)));
  double least = std::numeric_limits<double>::infinity();
  double most = -least;
  double sum = 0;
  uint64_t not_numbers = 0;
  for (uint64_t i = 0; i < tensor.elements(); ++i) {
    const double value = tensor.at(i).AsDouble();
    if (std::isnan(value)) {
      ++not_numbers;
      continue;
    }
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  const uint64_t numbers = tensor.elements() - not_numbers;
  command.out() << "type    " << Name(tensor.type) << "\nshape   "
                << tensor.ShapeText() << "\nbytes   "
                << Grouped(tensor.data.size()) << "\ndigest  "
                << Sha256(tensor.data).ToString() << "\n";
  if (numbers > 0) {
    command.out() << absl::StrFormat("range   %g to %g, mean %g\n", least, most,
                                     sum / static_cast<double>(numbers));
  }
  if (not_numbers > 0) {
    command.out() << "nan     " << Grouped(not_numbers) << " elements\n";
  }
  std::string values = "values ";
  const uint64_t shown = std::min(tensor.elements(), flags.limit);
  for (uint64_t i = 0; i < shown; ++i) {
    absl::StrAppend(&values, " ", tensor.at(i).ToString());
  }
  if (shown < tensor.elements()) absl::StrAppend(&values, " ...");
  command.out() << values << "\n";
  return kDone;
}

struct DiffFlags {
  std::string a;
  std::string b;
  double max_absolute = 0;
  uint64_t max_ulp = 0;
};

absl::StatusOr<int> Diff(Command& command, const DiffFlags& flags) {
  if (flags.a == "-" && flags.b == "-") {
    return UsageError("standard input is given twice");
  }
  GRAPHD_ASSIGN_OR_RETURN(const Tensor a, Local(ReadTensorFile(flags.a)));
  GRAPHD_ASSIGN_OR_RETURN(const Tensor b, Local(ReadTensorFile(flags.b)));
  const auto difference = Compare(a, b);
  if (!difference.ok()) {
    command.out() << difference.status().message() << "\n";
    return kAnswerIsNo;
  }
  if (difference->count == 0) {
    command.out() << "equal: " << Grouped(a.elements()) << " elements\n";
    return kDone;
  }
  const uint64_t first = difference->first;
  command.out() << Grouped(difference->count) << " of " << Grouped(a.elements())
                << " elements differ; first at index " << first << ": "
                << a.at(first).ToString() << " and " << b.at(first).ToString()
                << "; at most " << difference->max_absolute << " apart";
  if (IsFloat(a.type)) command.out() << ", " << difference->max_ulp << " ulp";
  command.out() << "\n";
  const bool near = difference->max_absolute <= flags.max_absolute ||
                    (IsFloat(a.type) && difference->max_ulp <= flags.max_ulp);
  return near ? kDone : kAnswerIsNo;
}

struct ConvertFlags {
  std::string from;
  std::string to;
  std::string type;
  std::string shape;
  std::string raw_type;
};

bool IsRaw(absl::string_view path) { return absl::EndsWith(path, ".bin"); }

absl::StatusOr<Tensor> ReadRaw(const ConvertFlags& flags) {
  if (flags.raw_type.empty()) {
    return UsageError(
        "a .bin file holds bare elements: name their type with "
        "--raw-dtype");
  }
  Tensor tensor;
  GRAPHD_ASSIGN_OR_RETURN(tensor.type,
                          ParseType("--raw-dtype", flags.raw_type));
  GRAPHD_ASSIGN_OR_RETURN(tensor.data, Local(ReadFile(flags.from)));
  if (tensor.data.size() % SizeBytes(tensor.type) != 0) {
    return UsageError(absl::StrCat(absl::CEscape(flags.from),
                                   ": expected a "
                                   "multiple of ",
                                   SizeBytes(tensor.type), " bytes, found ",
                                   tensor.data.size()));
  }
  tensor.shape = {tensor.elements()};
  return tensor;
}

absl::StatusOr<int> ConvertFile(const ConvertFlags& flags) {
  auto tensor =
      IsRaw(flags.from) ? ReadRaw(flags) : Local(ReadTensorFile(flags.from));
  GRAPHD_RETURN_IF_ERROR(tensor.status());
  if (!flags.type.empty()) {
    GRAPHD_ASSIGN_OR_RETURN(const ScalarType type,
                            ParseType("--dtype", flags.type));
    tensor = Local(Convert(*tensor, type));
    GRAPHD_RETURN_IF_ERROR(tensor.status());
  }
  if (!flags.shape.empty()) {
    GRAPHD_ASSIGN_OR_RETURN(auto shape, ParseShape(flags.shape));
    GRAPHD_ASSIGN_OR_RETURN(const uint64_t bytes,
                            Local(DenseBytes(tensor->type, shape)));
    if (bytes != tensor->data.size()) {
      return UsageError(absl::StrCat(
          "--shape: the tensor has ", tensor->elements(), " elements, ",
          flags.shape, " has ", bytes / SizeBytes(tensor->type)));
    }
    tensor->shape = std::move(shape);
  }
  GRAPHD_RETURN_IF_ERROR(Local(IsRaw(flags.to)
                                   ? WriteFile(flags.to, tensor->data)
                                   : WriteTensorFile(flags.to, *tensor)));
  return kDone;
}

void AddRandom(CLI::App& tensor, Command& command) {
  auto flags = std::make_shared<RandomFlags>();
  CLI::App* random = command.AddVerb(
      tensor, "random", "Write pseudo-random elements, the same everywhere",
      "  graphctl tensor random --shape 1048576 --dtype f32 --seed 1 -o x.npy\n"
      "  graphctl tensor random --shape 512,512 --low -1 --high 1 -o a.npy",
      [flags] { return Random(*flags); });
  random
      ->add_option("--shape", flags->shape, "extents, e.g. 1048576 or 512,512")
      ->required();
  random->add_option("--dtype", flags->type,
                     "element type; f32 when not given");
  random->add_option("--seed", flags->seed, "another seed, other elements");
  random->add_option("--low", flags->low, "least value; 0 when not given");
  random->add_option("--high", flags->high,
                     "values stay below; 1 for floats, 100 for integers");
  random
      ->add_option("-o,--output", flags->output,
                   "file, or - for standard output")
      ->type_name("FILE")
      ->required();
}

void AddShow(CLI::App& tensor, Command& command) {
  auto flags = std::make_shared<ShowFlags>();
  CLI::App* show =
      command.AddVerb(tensor, "show", "Type, shape, range and first elements",
                      "  graphctl tensor show y.npy --limit 20",
                      [&command, flags] { return Show(command, *flags); });
  show->add_option("FILE", flags->file, ".npy file, or -")->required();
  show->add_option("--limit", flags->limit, "elements shown");
}

void AddDiff(CLI::App& tensor, Command& command) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* diff = command.AddVerb(
      tensor, "diff", "Compare bit for bit; exit 0: equal, 1: not",
      "  graphctl tensor diff y.npy expected.npy\n"
      "  graphctl tensor diff y.npy expected.npy --max-ulp 2",
      [&command, flags] { return Diff(command, *flags); });
  diff->add_option("A", flags->a, ".npy file, or -")->required();
  diff->add_option("B", flags->b, ".npy file, or -")->required();
  diff->add_option("--max-abs", flags->max_absolute,
                   "differences up to this are no difference");
  diff->add_option("--max-ulp", flags->max_ulp,
                   "so many representable values apart are no difference");
}

void AddConvert(CLI::App& tensor, Command& command) {
  auto flags = std::make_shared<ConvertFlags>();
  CLI::App* convert = command.AddVerb(
      tensor, "convert", "Change element type, shape, or .npy to bare bytes",
      "  graphctl tensor convert x.npy x16.npy --dtype f16\n"
      "  graphctl tensor convert x.bin x.npy --raw-dtype f32 --shape 512,512\n"
      "  graphctl tensor convert y.npy y.bin",
      [flags] { return ConvertFile(*flags); });
  convert->add_option("FROM", flags->from, ".npy file, .bin file, or -")
      ->required();
  convert->add_option("TO", flags->to, ".npy file, .bin file, or -")
      ->required();
  convert->add_option("--dtype", flags->type, "new element type");
  convert->add_option("--shape", flags->shape, "new shape");
  convert->add_option("--raw-dtype", flags->raw_type,
                      "element type of a .bin file");
}

}  // namespace

void AddTensorCommands(CLI::App& app, Command& command) {
  CLI::App* tensor = app.add_subcommand("tensor", "Small tools for .npy files");
  tensor->fallthrough();
  tensor->footer("\nExamples:\n  graphctl tensor show y.npy");
  AddRandom(*tensor, command);
  AddShow(*tensor, command);
  AddDiff(*tensor, command);
  AddConvert(*tensor, command);
}

}  // namespace graphd::graphctl
