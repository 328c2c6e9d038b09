import HeliographTestSupport
import RelayProtocol
import Testing

/// Messages over HTTP alone, checked against the table.
@Suite("The table of HTTP and what reads and writes")
struct AccessCodecTests {
    /// Answers are the relay's own: their bounds are not looked at.
    private func expect(_ table: WireObject, isAnswer: Bool, toldBy: String? = nil, _ codec: @escaping FieldCheck.Codec) throws
    {
        let check = FieldCheck(table.name ?? "", codec)
        let examples = WireExamples.of(table.fields).map(JSONTree.object)
        var faults = try check.writingFaults(examples)
        for example in examples {
            for mutation in WireMutation.all(table.fields, in: example, events: false)
            // Another object may replace the field `toldBy`: without both, the other is reported as missing.
            where !(isAnswer && mutation.isBound) && !(mutation.path == toldBy.map { [.member($0)] } && mutation.isAbsence) {
                if let fault = check.fault(mutation, of: example) { faults.append(fault) }
            }
        }
        #expect(faults.isEmpty, "\(faults.joined(separator: "\n"))")
    }

    @Test("a code is sent with the fields of the table, and no other")
    func pairing() throws {
        try expect(WireTable.pairing, isAnswer: false) { bytes throws(WireError) in
            let call = try PairCall(parsing: bytes)
            return (call, call.bytes)
        }
    }

    @Test("a token, or a page's key, is given with the fields of the table, and no other")
    func paired() throws {
        for (table, toldBy) in [(WireTable.paired, nil), (WireTable.pairedPage, "key")] {
            try expect(table, isAnswer: true, toldBy: toldBy) { bytes throws(WireError) in
                let answer = try PairAnswer(parsing: bytes)
                return (answer, answer.bytes)
            }
        }
    }

    @Test("a workspace is asked for with the fields of the table, and no other, or with nothing")
    func registering() throws {
        try expect(WireTable.registering, isAnswer: false) { bytes throws(WireError) in
            let call = try RegistrationCall(parsing: bytes)
            return (call, call.bytes)
        }
        #expect(try RegistrationCall(parsing: []) == RegistrationCall(key: nil))
    }

    @Test("a stranger is given a workspace with the fields of the table, and no other")
    func registered() throws {
        try expect(WireTable.registered, isAnswer: true) { bytes throws(WireError) in
            let answer = try RegistrationAnswer(parsing: bytes)
            return (answer, answer.bytes)
        }
    }

    @Test("a client and a host are told who they are with the fields of the table, and no other")
    func identity() throws {
        for (table, toldBy) in [(WireTable.me, nil), (WireTable.meHost, "host")] {
            try expect(table, isAnswer: true, toldBy: toldBy) { bytes throws(WireError) in
                let identity = try Identity(parsing: bytes)
                return (identity, identity.bytes)
            }
        }
    }

    @Test("a revocation is asked for with the fields of the table, and no other; nothing at all takes what it let in along")
    func revocation() throws {
        try expect(WireTable.revocation, isAnswer: false) { bytes throws(WireError) in
            let call = try RevocationCall(parsing: bytes)
            return (call, call.bytes)
        }
        #expect(try !RevocationCall(parsing: []).keepsChildren)
    }

    @Test("another name is asked for with the fields of the table, and no other")
    func renaming() throws {
        try expect(WireTable.renaming, isAnswer: false) { bytes throws(WireError) in
            let call = try RenamingCall(parsing: bytes)
            return (call, call.bytes)
        }
    }
}

extension WireMutation {
    fileprivate var isAbsence: Bool { value == nil || value == .plain("null") }
}
