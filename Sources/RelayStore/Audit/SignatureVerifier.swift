internal import Consent
internal import ConsentKeys
package import RelayCore
internal import RelayProtocol

/// Reads audit lines in order and verifies each decision and command by a device's signature, without relying on the relay.
///
/// The signed statement is rebuilt from the line. A line without a valid signature is a fault, unless the log says that its host
/// refused it.
package struct SignatureVerifier {
    fileprivate struct Subject: Hashable {
        let session: String
        let name: String
    }

    private let keys: SigningKeys
    private var report = SignatureReport()
    /// Sentences about decisions and commands without a valid signature that have not been refused so far.
    private var unproven: [Subject: String] = [:]
    private var order: [Subject] = []

    package init(_ keys: SigningKeys) { self.keys = keys }

    /// `place` identifies the line in reports. Lines that are no records are left to `AuditVerifier`.
    package mutating func take(_ bytes: [UInt8], at place: String) {
        guard let line = try? JSONDocument(parsing: bytes).root.object(), let what = try? line.string("what") else { return }
        do throws(WireError) {
            switch what {
            case AuditWord.decided: try decided(line, place)
            case AuditWord.steeringRequested: try steered(line, place)
            case AuditWord.approval(.stale), AuditWord.approval(.cancelled), AuditWord.approval(.expired):
                refused(Subject(try line.string("session"), try line.string("approval"), of: line))
            case AuditWord.steering(.refused), AuditWord.steering(.withdrawn):
                refused(Subject(try line.string("session"), try Self.command(line, try line.string("client")), of: line))
            default: break
            }
        } catch { report.fault("\(place) cannot be checked: \(error.message) (\(error.path))") }
    }

    package consuming func finish() -> SignatureReport {
        for subject in order { if let sentence = unproven[subject] { report.fault(sentence) } }
        return report
    }

    // MARK: - Lines

    private mutating func decided(_ line: JSONValue, _ place: String) throws(WireError) {
        let decision = try Decision(from: line.required("decision"))
        let (session, approval): (SessionID, ApprovalID) = (try line.identifier("session"), try line.identifier("approval"))
        guard line.optional("consent") != nil || decision.signature != nil,
            decision.verdict.deed != .deny || decision.signature != nil
        else {
            report.unsignedCount += 1
            return
        }
        let subject = Subject(session.rawValue, approval.rawValue, of: line)
        let sentence = "\(place): what \(approval) was decided"
        // Hosts of an earlier version do not record what was signed for sealed content, and their records do not say that it was
        // sealed.
        guard let consent = line.optional("consent"), try !consent.flag("sealed") || consent.optional("shown") != nil else {
            guard let problem = signer(of: decision.signature).problem else {
                report.sealedCount += 1
                return
            }
            return take(problem, of: subject, sentence)
        }
        guard let host = KeyID(text: try consent.string("host")), let shown = try Self.hash(consent, "shown"),
            let digest = InputDigest(try line.string("digest"))
        else { throw WireError(.badValue, at: "$.consent", "this is no key, hash or digest") }
        func statement(_ signature: SignatureText) -> DecisionStatement {
            DecisionStatement(
                host: host, session: session, approval: approval, shown: shown, digest: digest, verdict: decision.verdict,
                issuedAt: signature.number, device: signature.device, .openSSL)
        }
        let problem = problem(of: decision.signature, statement)
        let isWanted = try consent.flag("passkey") && decision.verdict.deed != .deny
        let proven = problem == nil ? passkey(decision.signature, statement, isWanted: isWanted) : .notWanted
        if proven == .good { report.passkeyCount += 1 }
        take(problem ?? proven.problem, of: subject, sentence)
    }

    private enum PasskeyOutcome: Equatable {
        case notWanted, good
        case bad(String)

        var problem: String? { if case .bad(let sentence) = self { sentence } else { nil } }
    }

    /// Checks a passkey's signature. If none was required, a valid one counts, and an invalid one is no fault.
    private func passkey(
        _ text: String?, _ statement: (SignatureText) -> DecisionStatement, isWanted: Bool
    ) -> PasskeyOutcome {
        guard let signature = text.flatMap({ try? SignatureText(parsing: $0) }), let proof = signature.proof else {
            return isWanted ? .bad("no passkey has confirmed it") : .notWanted
        }
        let problem = proof.problem(of: statement(signature).bytes, by: keys.passkeys(of: signature.device), .openSSL)
        guard let problem else { return .good }
        return isWanted ? .bad("its passkey does not prove it (\(problem.rawValue))") : .notWanted
    }

    private mutating func steered(_ line: JSONValue, _ place: String) throws(WireError) {
        let (session, command): (SessionID, CommandID) = (try line.identifier("session"), try line.identifier("command"))
        let kind: SteeringAction.Kind = try line.word("action")
        guard let consent = line.optional("consent") else {
            report.unsignedCount += 1
            return
        }
        guard try Self.needsSignature(kind, line) else {
            report.unsignedCount += 1
            return
        }
        let subject = Subject(
            session.rawValue, try Self.command(line, try line.required("by").string("id")), of: line)
        guard let host = KeyID(text: try consent.string("host")) else {
            throw WireError(.badValue, at: "$.consent.host", "this is no key")
        }
        let sentence = "\(place): the \(kind.rawValue) \(command)"
        guard let text = try consent.optionalString("signature"), let detail = try Self.hash(consent, "detail") else {
            return take("nobody has signed it", of: subject, sentence)
        }
        if let known = try Self.knownDetail(kind, line, host, session, command), known != detail {
            return take("the record says something else than what was signed", of: subject, sentence)
        }
        let problem = problem(of: text) { signature -> any Statement in
            Self.statement(kind, host, session, command, detail, signature)
        }
        take(problem, of: subject, sentence)
    }

    private mutating func take(_ problem: String?, of subject: Subject, _ sentence: String) {
        guard let problem else {
            report.provenCount += 1
            return
        }
        if unproven[subject] == nil { order.append(subject) }
        unproven[subject] = "\(sentence) is not proven: \(problem)"
    }

    private mutating func refused(_ subject: Subject) {
        if unproven.removeValue(forKey: subject) != nil { report.refusedCount += 1 }
    }

    /// The problem with the signature, as a sentence; nil if the statement has a valid one of a known device.
    private func problem(of text: String?, _ statement: (SignatureText) -> any Statement) -> String? {
        switch signer(of: text) {
        case .unknown(let problem): problem
        case .device(let signature, let point):
            statement(signature).isSigned(signature, by: point, .openSSL)
                ? nil : "the signature is not one of what the record says"
        }
    }

    private enum Signer {
        case device(SignatureText, SigningPoint)
        /// No known signer; the sentence says why.
        case unknown(String)

        var problem: String? { if case .unknown(let problem) = self { problem } else { nil } }
    }

    private func signer(of text: String?) -> Signer {
        guard let text else { return .unknown("nobody has signed it") }
        guard let signature = try? SignatureText(parsing: text) else { return .unknown("its signature cannot be read") }
        guard let point = keys.point(of: signature.device) else {
            return .unknown("the device \(signature.device.text) is not in the list")
        }
        return .device(signature, point)
    }

    // MARK: - Fields

    private static func hash(_ value: JSONValue, _ key: StaticString) throws(WireError) -> ConsentHash? {
        try value.optionalString(key).flatMap(InputDigest.init).flatMap { ConsentHash($0.bytes) }
    }

    /// A command's name, with its client: other clients may use the same identifier.
    private static func command(_ line: JSONValue, _ client: String) throws(WireError) -> String {
        client + " " + (try line.string("command"))
    }

    private static func needsSignature(_ kind: SteeringAction.Kind, _ line: JSONValue) throws(WireError) -> Bool {
        switch kind {
        case .interrupt, .stop, .past, .ruleTry: false
        case .askAll: try line.string("choice") != "on"
        case .prompt, .mode, .model, .start, .resume, .ruleOff, .ruleAdd, .ruleChange: true
        }
    }

    /// The detail if the record contains all of it; nil if it includes a text or pictures that are not recorded.
    private static func knownDetail(
        _ kind: SteeringAction.Kind, _ line: JSONValue, _ host: KeyID, _ session: SessionID, _ command: CommandID
    ) throws(WireError) -> ConsentHash? {
        switch kind {
        case .prompt:
            let isCommand = try line.flag("isCommand")
            let isPlain = !isCommand && line.optional("busy") == nil && line.optional("pictures") == nil
            return isPlain ? try hash(line, "digest") : nil
        case .mode: return SteeringAction.mode(try line.string("choice")).signedDetail(host, session, command)
        case .model: return SteeringAction.model(try line.string("choice")).signedDetail(host, session, command)
        case .askAll: return SteeringAction.askAll(try line.string("choice") == "on").signedDetail(host, session, command)
        case .ruleOff: return SteeringAction.ruleOff(try line.string("choice")).signedDetail(host, session, command)
        case .ruleAdd: return SteeringAction.ruleAdd(try line.string("choice")).signedDetail(host, session, command)
        case .ruleChange:
            return SteeringAction.ruleChange(try line.string("rule"), to: try line.string("choice"))
                .signedDetail(host, session, command)
        case .interrupt, .stop, .start, .resume, .past, .ruleTry: return nil
        }
    }

    private static func statement(
        _ kind: SteeringAction.Kind, _ host: KeyID, _ session: SessionID, _ command: CommandID, _ detail: ConsentHash,
        _ signature: SignatureText
    ) -> any Statement {
        if kind == .prompt {
            var statement = PromptStatement(
                host: host, session: session, command: command, prompt: .init(text: ""), count: signature.number,
                device: signature.device, .openSSL)
            statement.detail = detail
            return statement
        }
        var statement = SteeringStatement(
            host: host, session: session, command: command, action: .interrupt, count: signature.number,
            device: signature.device, .openSSL)
        (statement.kind, statement.detail) = (kind, detail)
        return statement
    }
}

extension SignatureVerifier.Subject {
    /// Includes the workspace, as several may have sessions with the same name.
    fileprivate init(_ session: String, _ name: String, of line: JSONValue) {
        let workspace = (try? line.string("workspace")) ?? ""
        self.init(session: workspace + " " + session, name: name)
    }
}
