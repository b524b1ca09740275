/**
 * What `@onegpu/onnx` leaves out in browsers: operators, fusions, profiles. Imported as a `LatePart`, so that bundlers
 * make a script of it.
 */
import '@onegpu/onnx/full';
