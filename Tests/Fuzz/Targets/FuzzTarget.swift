/// A part of the product that untrusted bytes reach, by its name on the command line of `Tests/Tools/fuzz.py`.
package enum FuzzTarget: String, CaseIterable, Sendable {
    case answer, assembly, codec, consent, hook, nodes, profile, spool

    /// Traps with a sentence that begins with `finding: ` if the input breaks a promise.
    package func run(_ input: [UInt8]) {
        switch self {
        case .answer: AnswerTarget.run(input)
        case .assembly: AssemblyTarget.run(input)
        case .codec: CodecTarget.run(input)
        case .consent: ConsentTarget.run(input)
        case .hook: HookTarget.run(input)
        case .nodes: NodesTarget.run(input)
        case .profile: ProfileTarget.run(input)
        case .spool: SpoolTarget.run(input)
        }
    }
}

func require(_ holds: Bool, _ sentence: @autoclosure () -> String) {
    if !holds { fatalError("finding: \(sentence())") }
}
