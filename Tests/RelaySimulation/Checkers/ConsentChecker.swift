import Consent
import RelayProtocol

/// Checks that an agent of a signing host runs and takes only what a device signed for exactly that purpose, which its host trusted
/// at that time, with a passkey's proof if the owner requires one, and nothing twice; that honest commands are not refused; and
/// that no device is trusted that was not let in.
struct ConsentChecker {
    private(set) var shown: [ApprovalID: ShownApproval] = [:]
    /// Approvals in the order in which they were asked.
    private(set) var approvals: [ApprovalID] = []
    /// Decisions, by the signature's text.
    private(set) var decisions: [String: DecisionStatement] = [:]
    /// Signatures with a passkey's proof of the same statement.
    private var confirmed: Set<String> = []
    private(set) var commands: [String: SignedCommand] = [:]
    /// Decisions and commands that reached each host (by number) from a device that it trusted to send them at that time.
    private var trustedDecisions: [Int: [ApprovalID: [(statement: DecisionStatement, isConfirmed: Bool)]]] = [:]
    private var trustedCommands: [Int: [CommandID: [SignedCommand]]] = [:]
    private var taken: [SignedCommand] = []
    private var begun: [SignedCommand] = []
    /// Devices that a person let in at each host's terminal.
    private var letIn: [Int: Set<KeyID>] = [:]
    /// Devices in each host's book, as last saved.
    private var trusted: [Int: Set<KeyID>] = [:]
    /// Devices whose trust was ended by a person, or by a device with that right.
    private var thrownOut: [Int: Set<KeyID>] = [:]
    /// Number of decisions and commands that a signature permitted.
    private(set) var consentCount = 0

    mutating func showed(_ approval: ShownApproval) {
        let id = approval.text.request.approval
        if shown[id] == nil { approvals.append(id) }
        shown[id] = approval
    }

    mutating func signed(_ statement: DecisionStatement, _ signature: String, isConfirmed: Bool) {
        decisions[signature] = statement
        if isConfirmed { confirmed.insert(signature) }
    }

    func isConfirmed(_ signature: String) -> Bool { confirmed.contains(signature) }

    mutating func signed(_ command: SignedCommand, _ signature: String) { commands[signature] = command }

    // MARK: Arrivals

    mutating func came(_ statement: DecisionStatement, _ isConfirmed: Bool, to host: Int) {
        trustedDecisions[host, default: [:]][statement.approval, default: []].append((statement, isConfirmed))
    }

    mutating func came(_ command: SignedCommand, to host: Int) {
        trustedCommands[host, default: [:]][command.command, default: []].append(command)
    }

    // MARK: Agents

    /// The agent ran a tool. Its hook may have been asked about twice, under each of `questions`.
    mutating func ran(_ ask: Agent.Ask, offer: String?, _ questions: [ApprovalID], of host: Int) -> String? {
        let verdict: Decision.Verdict = offer.map { .allowWith(offer: $0) } ?? .allow
        for id in questions {
            guard let asked = shown[id], asked.host == host, asked.text.session == ask.session else { continue }
            let isSigned = trustedDecisions[host]?[id]?.contains {
                $0.statement == asked.statement(verdict, at: $0.statement.issuedAt, by: $0.statement.device)
                    && ($0.isConfirmed || !asked.text.request.needsPasskey)
            }
            if isSigned == true {
                consentCount += 1
                return nil
            }
        }
        let names = questions.map(\.rawValue).joined(separator: " ")
        return
            "an agent is told to run what hook \(ask.hook) asked (\(names)), and no trusted device signed that, or no passkey confirmed it"
    }

    mutating func took(_ request: SteeringRequest, at host: Int, _ key: KeyID) -> String? {
        guard request.action.needsSignature else { return nil }
        let signed = trustedCommands[host]?[request.command]?.first {
            // The first prompt of a session is part of the command that starts it.
            $0.host == key && $0.action.text == request.action.text
                && ($0.action.kind.isLaunch || ($0.session == request.session && $0.action == request.action))
        }
        guard let signed else { return "an agent takes \(request.command), which no trusted device signed so" }
        guard !taken.contains(signed) else { return "an agent takes \(request.command) for a second time by one signature" }
        taken.append(signed)
        consentCount += 1
        return nil
    }

    /// The rules of the host change so.
    mutating func changed(_ action: SteeringAction, at host: Int, _ key: KeyID) -> String? {
        let signed = (trustedCommands[host] ?? [:]).values.joined().filter { $0.host == key && $0.action == action }
        guard !signed.isEmpty else { return "the rules of host\(host) are changed as no trusted device signed it" }
        let fresh = signed.filter { !taken.contains($0) }.min { $0.count < $1.count }
        guard let fresh else { return "the rules of host\(host) are changed for a second time by one signature" }
        taken.append(fresh)
        consentCount += 1
        return nil
    }

    mutating func began(_ name: SteeringName, _ launch: Launch, at host: Int, _ key: KeyID) -> String? {
        guard launch.purpose != .past else { return nil }
        let signed = trustedCommands[host]?[name.command]?.first { $0.host == key && $0.action == .launch(launch) }
        guard let signed else { return "a session begins by \(name.command), which no trusted device signed so" }
        guard !begun.contains(signed) else { return "a session begins by \(name.command) for a second time by one signature" }
        begun.append(signed)
        consentCount += 1
        return nil
    }

    // MARK: Trust

    mutating func thrownOut(_ device: KeyID, by host: Int) { thrownOut[host, default: []].insert(device) }

    /// True if somebody who may has ended the trust in the device, which the host may have yet to do.
    func isThrownOut(_ device: KeyID, by host: Int) -> Bool { thrownOut[host]?.contains(device) == true }

    mutating func letIn(_ device: KeyID, by host: Int) { letIn[host, default: []].insert(device) }

    /// The host has this book on disk.
    mutating func saved(_ book: PinBook, of host: Int) -> String? {
        for device in book.devices where letIn[host]?.contains(device.id) != true {
            return "host\(host) trusts \(device.name), whom nobody has let in"
        }
        // A removed device has to be let in again; a device that was invited and has not joined yet has not.
        let now = Set(book.devices.map(\.id))
        let (gone, new) = ((trusted[host] ?? []).subtracting(now), now.subtracting(trusted[host] ?? []))
        if !gone.isSubset(of: thrownOut[host] ?? []) {
            return "host\(host) does not trust a device any more, and nobody who may has ended that"
        }
        for pin in book.devices where new.contains(pin.id) && pin.by != .terminal && pin.may.contains(.vouch) {
            return "host\(host) lets \(pin.name) bring others, whom no person has let in at its terminal"
        }
        letIn[host]?.subtract(gone)
        thrownOut[host]?.subtract(new)
        trusted[host] = now
        return nil
    }
}
