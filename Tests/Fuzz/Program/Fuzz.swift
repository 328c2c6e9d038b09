internal import CLibFuzzer
internal import FuzzTargets
internal import Glibc

/// One target under libFuzzer: `FUZZ_TARGET=codec fuzz FOLDER -max_total_time=60`. `Tests/Tools/fuzz.py` runs them all.
///
/// The target is named by the environment, because libFuzzer starts this program anew, with arguments of its own, for some of its work.
@main enum Fuzz {
    private static let target = unsafe getenv("FUZZ_TARGET").flatMap { unsafe FuzzTarget(rawValue: String(cString: $0)) }

    static func main() {
        guard target != nil else {
            print("FUZZ_TARGET is one of: \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
            exit(2)
        }
        var count = CommandLine.argc
        // Written to by libFuzzer only; as long-lived as the process.
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, tryInput))
    }

    static func run(_ input: [UInt8]) { target?.run(input) }
}

/// Exported under the name that libFuzzer's own `main`, which is linked, looks for.
@c(LLVMFuzzerTestOneInput)
public func tryInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe Fuzz.run(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}
