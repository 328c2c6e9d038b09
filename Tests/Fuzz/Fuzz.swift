internal import CLibFuzzer
internal import Glibc

/// What untrusted bytes reach, under libFuzzer: `FUZZ_TARGET=codec fuzz FOLDER -max_total_time=60`. `Tests/Tools/fuzz` runs them all.
///
/// The target comes by the environment, as libFuzzer starts this program anew, with arguments of its own, for some of its work.
@main enum Fuzz {
    static let targets: [String: @Sendable (_ input: [UInt8]) -> Void] = [
        "codec": CodecTarget.run,
        "assembly": AssemblyTarget.run,
        "profile": ProfileTarget.run,
        "hook": HookTarget.run,
        "spool": SpoolTarget.run,
        "answer": AnswerTarget.run,
        "nodes": NodesTarget.run,
    ]

    private static let target = unsafe getenv("FUZZ_TARGET").flatMap { unsafe targets[String(cString: $0)] }

    static func main() {
        guard target != nil else {
            print("FUZZ_TARGET is one of: \(targets.keys.sorted().joined(separator: ", "))")
            exit(2)
        }
        var count = CommandLine.argc
        // Written to by libFuzzer only; as long-lived as the process.
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        exit(unsafe LLVMFuzzerRunDriver(&count, &arguments, tryInput))
    }

    static func run(_ input: [UInt8]) { target?(input) }
}

/// By the name under which libFuzzer's own `main`, which is linked too, looks for it.
@c(LLVMFuzzerTestOneInput)
public func tryInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    unsafe Fuzz.run(Array(UnsafeBufferPointer(start: data, count: count)))
    return 0
}

/// A finding unless it holds. Says so in words, as libFuzzer only shows where.
func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { fatalError("finding: \(sentence())") }
}
