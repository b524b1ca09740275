"""Writes ONNX's own tests as folders that `onegpu conformance` runs; see docs/conformance.md.

    python scripts/make-conformance-data.py FOLDER [--record RESULTS.json]

FOLDER gets `node` (operator tests) and `light` (whole models with constant weights). With a record of results only the
tests that it names are written; without one, all that the package has.
"""

import argparse
import json
import pathlib
import shutil

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case.node import collect_testcases


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--record", type=pathlib.Path)
    options = parser.parse_args()
    wanted = None if options.record is None else json.loads(options.record.read_text())
    for case in collect_testcases(None):
        if wanted is None or f"node/{case.name}" in wanted:
            write_case(options.folder / "node" / case.name, case)
    light = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
    for model in sorted(light.glob("*.onnx")):
        write_light_model(options.folder / "light" / model.stem, model)


def write_case(folder: pathlib.Path, case) -> None:
    """One folder a test: the model, and a folder for each data set."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir(exist_ok=True)
        write_values(data, "input", inputs, case.model.graph.input)
        write_values(data, "output", outputs, case.model.graph.output)


def write_values(folder: pathlib.Path, kind: str, values, infos) -> None:
    for position, (value, info) in enumerate(zip(values, infos)):
        path = folder / f"{kind}_{position}.pb"
        if info.type.HasField("sequence_type"):
            proto = numpy_helper.from_list(value, info.name)
        elif info.type.HasField("optional_type"):
            proto = numpy_helper.from_optional(value, info.name)
        elif isinstance(value, onnx.TensorProto):
            proto = onnx.TensorProto()
            proto.CopyFrom(value)
            proto.name = info.name
        else:
            proto = numpy_helper.from_array(numpy.asarray(value), info.name)
        path.write_bytes(proto.SerializeToString())


def write_light_model(folder: pathlib.Path, path: pathlib.Path) -> None:
    """The input is what the package's own runner feeds: 0, 1/n, 2/n, ... of n elements."""
    model = onnx.load(path)
    constants = {initializer.name for initializer in model.graph.initializer}
    [picture] = [info for info in model.graph.input if info.name not in constants]
    dims = [extent.dim_value for extent in picture.type.tensor_type.shape.dim]
    count = int(numpy.prod(dims))
    values = (numpy.arange(count).reshape(dims) / count).astype(numpy.float32)
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, folder / "model.onnx")
    (data / "input_0.pb").write_bytes(numpy_helper.from_array(values, picture.name).SerializeToString())
    shutil.copyfile(path.with_name(f"{path.stem}_output_0.pb"), data / "output_0.pb")


if __name__ == "__main__":
    main()
