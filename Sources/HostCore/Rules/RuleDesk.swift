internal import Consent
internal import HostRules
internal import RelayProtocol

/// Answers requests by the owner's rules, before people are asked.
///
/// A rule judges what people would be shown: no rule allows what is hidden or cut there. The answer is part of the request itself,
/// which is on disk before the agent has it, and goes to the adapter as a person's decision would.
struct RuleDesk {
    struct Answered {
        let session: SessionID
        let approval: ApprovalID
        /// The digest that the adapter knows it by.
        let digest: InputDigest
        let rule: AppliedRule
    }

    private let source: any RuleSource
    private let home: String
    /// Folders in which sessions work, as their adapters reported.
    private var folders: [SessionID: String] = [:]
    /// True if the rules were read and may have changed.
    private var hasLooked = false
    /// Approvals for which a note is kept.
    private var noted: Set<ApprovalID> = []
    private var uses = RuleUses()
    /// Approvals that only a passkey may allow.
    private var guarded: Set<ApprovalID> = []

    init(_ source: any RuleSource, home: String) {
        self.source = source
        self.home = home
    }

    // MARK: Over a restart

    private static let notes = "rules."
    private static let folderNotes = notes + "folder/"
    private static let passkeyNotes = notes + "passkey/"
    private static let usesNotes = notes + "uses/"

    static func isNote(_ key: String) -> Bool { key.hasPrefix(notes) }

    /// Returns the answers that their adapters may not have received, and the notes that are no longer needed.
    mutating func restore(
        from notes: [String: [UInt8]], isLive: (SessionID) -> Bool, isPending: (ApprovalID) -> Bool
    ) -> (answered: [Answered], over: [String]) {
        var answered: [Answered] = []
        var over: [String] = []
        var counts: [String: Int] = [:]
        for (key, note) in notes.sorted(by: { $0.key < $1.key }) where Self.isNote(key) {
            if key.hasPrefix(Self.folderNotes) {
                guard let session = SessionID(String(key.dropFirst(Self.folderNotes.count))), isLive(session) else {
                    over.append(key)
                    continue
                }
                folders[session] = String(decoding: note, as: UTF8.self)
            } else if key.hasPrefix(Self.usesNotes) {
                // A number that cannot be read counts as the most.
                counts[String(key.dropFirst(Self.usesNotes.count))] = Int(String(decoding: note, as: UTF8.self)) ?? .max
            } else if let id = Self.approval(ofPasskeyNote: key), isPending(id) {
                guarded.insert(id)
            } else if let id = ApprovalID(String(key.dropFirst(Self.notes.count))), isPending(id),
                let known = Answered(id, note: note)
            {
                noted.insert(id)
                answered.append(known)
            } else {
                over.append(key)
            }
        }
        uses = RuleUses(counts)
        return (answered, over)
    }

    // MARK: From afar

    /// The rules as people are shown them; nil if none can be read.
    var offer: RulesOffer? { source.rules.map { RulesOffer($0, uses: uses) } }

    /// True if the rules were read since the last call.
    mutating func takeLook() -> Bool {
        defer { hasLooked = false }
        return hasLooked
    }

    /// Carries out `ruleOff`, `ruleAdd` or `ruleChange`. Returns the reason if nothing was changed.
    func change(_ request: SteeringRequest, isSigned: Bool, at now: HostInstant) -> String? {
        if case .ruleOff(let name) = request.action { return switchOff(name) }
        // Without signatures the relay could write a rule that gives agents more freedom for good.
        guard isSigned else { return "only a host that takes signed commands alone takes rules from afar" }
        do throws(SpoolError) {
            switch request.action {
            case .ruleAdd(let text): try source.add(text, by: request.by.name, at: now.wall)
            case .ruleChange(let name, let text):
                guard let (kept, rule) = found(name) else { return Self.noSuchRule }
                // A change to such a rule could give agents more freedom and seem to be about something else.
                guard rule.answer == .allow else { return "this rule keeps agents back: only its owner can change it" }
                guard !kept.isOff(rule) else { return "this rule was taken back: only its owner can let it allow again" }
                try source.change(name, to: text, by: request.by.name, at: now.wall)
            default: preconditionFailure("this changes no rule")
            }
            return nil
        } catch { return error.message }
    }

    /// Switches the rule off. Returns the reason if it cannot; being off already is none.
    private func switchOff(_ name: String) -> String? {
        guard source.rules != nil, !source.isUnreadable else {
            return "its host has no rules that can be read, so none of them answers"
        }
        guard let (kept, rule) = found(name) else { return Self.noSuchRule }
        guard rule.answer == .allow else { return "this rule keeps agents back: only its owner can take it out of the file" }
        guard !kept.isOff(rule) else { return nil }
        do throws(SpoolError) { try source.switchOff(name) } catch { return "the disk of its host does not take it: \(error)" }
        return nil
    }

    private static let noSuchRule = "its host has no such rule any more"

    private func found(_ name: String) -> (KeptRules, Rule)? {
        guard let kept = source.rules, let rule = kept.book.rules.first(where: { $0.name == name }) else { return nil }
        return (kept, rule)
    }

    private static func note(of approval: ApprovalID) -> String { notes + approval.rawValue }
    private static func passkeyNote(of approval: ApprovalID) -> String { passkeyNotes + approval.rawValue }

    private static func approval(ofPasskeyNote key: String) -> ApprovalID? {
        key.hasPrefix(passkeyNotes) ? ApprovalID(String(key.dropFirst(passkeyNotes.count))) : nil
    }

    static let noKeysReason = "The owner of this host wants a passkey to confirm some calls, so it takes no keys from afar."

    /// True if a rule requires a passkey, whatever its hours, or if the file cannot be read and may contain one. `hasPasskeys`: see
    /// `answering`.
    func guards(hasPasskeys: Bool) -> Bool {
        source.rules?.standing.rules.contains { $0.answer == .passkey } == true || (hasPasskeys && source.isUnreadable)
    }

    /// True if only a passkey may allow the approval.
    func needsPasskey(_ approval: ApprovalID) -> Bool { guarded.contains(approval) }

    // MARK: Requests

    /// The effects as they go to disk, and the answers to give once they are there. `isHeld`: nothing is allowed in that session,
    /// because a person wants to be asked about everything, its budget is spent, or its agent is in another folder. `hasPasskeys`:
    /// the host has accepted passkeys, so that a file that cannot be read may have rules that require them. `present`: the folder in
    /// which a session's agent is now.
    mutating func answering(
        _ effects: inout [AgentEffect<any Sendable>], of agent: String, at now: HostInstant, hasPasskeys: Bool = false,
        present: (SessionID) -> String? = { _ in nil }, isHeld: (SessionID) -> Bool
    ) -> [Answered] {
        var answered: [Answered] = []
        effects = effects.flatMap { effect -> [AgentEffect<any Sendable>] in
            switch effect {
            case .emit(let session, let bytes, isKept: true):
                guard let event = try? Event(stored: bytes) else { return [effect] }
                switch event.head {
                case .sessionStarted(let facts):
                    guard let folder = RuleCall.folder(facts.folder, shown: facts.workingDirectory), folders[session] != folder
                    else { return [effect] }
                    folders[session] = folder
                    return [effect, .remember(Self.folderNotes + session.rawValue, Array(folder.utf8))]
                case .sessionEnded:
                    guard folders.removeValue(forKey: session) != nil else { return [effect] }
                    return [effect, .remember(Self.folderNotes + session.rawValue, nil)]
                case .approvalRequested(var request):
                    hasLooked = true
                    let (rule, names, book): (AppliedRule, [String], RuleBook)
                    let call = RuleCall(
                        request, event, of: agent, in: folders[session], present: present(session), home: home)
                    switch verdict(for: request, call, at: now, isHeld: isHeld(session)) {
                    case .asks where !(hasPasskeys && source.isUnreadable): return [effect]
                    case .asks, .asksForPasskey:
                        guarded.insert(request.approval)
                        request.needsPasskey = true
                        return [
                            .emit(session, Self.event(request, as: event).bytes, isKept: true),
                            .remember(Self.passkeyNote(of: request.approval), []),
                        ]
                    case .answers(let found, by: let answering, of: let standing):
                        (rule, names, book) = (found, answering, standing)
                    }
                    let answer = Answered(
                        session: session, approval: request.approval, digest: request.digest, rule: rule)
                    request.rule = rule
                    let ruled = Self.event(request, as: event)
                    guard ruled.bytes.count <= WireLimits.eventBytesMax else { return [effect] }
                    answered.append(answer)
                    noted.insert(request.approval)
                    // On disk with the answer, and so before the agent has it.
                    let counted = uses.count(names, in: book).map { name, used in
                        AgentEffect<any Sendable>.remember(Self.usesNotes + name, Array(String(used).utf8))
                    }
                    return [
                        .emit(session, ruled.bytes, isKept: true), .remember(Self.note(of: request.approval), answer.note),
                    ] + counted
                default: return [effect]
                }
            case .heed(let token, let call, let demand, let denial):
                switch concern(with: call, of: agent, at: now, present: call.session.flatMap(present)) {
                case .denies: return [.restrict(token, denial)]
                case .asks: return [.restrict(token, demand)]
                case nil: return [.respond(token, nil)]
                }
            case .remember(let key, nil):
                guard let id = ApprovalID(key) else { return [effect] }
                var over: [AgentEffect<any Sendable>] = [effect]
                if noted.remove(id) != nil { over.append(.remember(Self.note(of: id), nil)) }
                if guarded.remove(id) != nil { over.append(.remember(Self.passkeyNote(of: id), nil)) }
                return over
            default: return [effect]
            }
        }
        return answered
    }

    /// The request with the additions to its head. One that no longer fits can only be denied.
    private static func event(_ request: ApprovalRequest, as event: Event) -> Event {
        let members = event.bodyMembers
        let whole = Event(.approvalRequested(request), at: event.at) { body in
            for member in members { body.raw(dynamic: member.key, member.value.bytes) }
        }
        guard request.needsPasskey, whole.bytes.count > WireLimits.eventBytesMax else { return whole }
        var cut = request
        cut.isCut = true
        return Event(.approvalRequested(cut), at: event.at) { _ in }
    }

    /// The reason why an edited call must not run. A rule that asks is kept, because a person has decided.
    func refusal(
        ofEdited call: UnaskedCall, _ approval: ApprovalID, of agent: String, at now: HostInstant, present: String?
    ) -> String? {
        let kept = source.rules
        guard !source.isUnreadable else { return EditError.ruled.rawValue }
        switch kept.map({ verdict(of: call, by: $0, of: agent, at: now, present: present) }) {
        case .deny?: return EditError.ruled.rawValue
        // If the request needed one, the passkey has confirmed the edit too.
        case .passkey?: return needsPasskey(approval) ? nil : ConsentRefusal.passkeyMissing.rawValue
        case .ask?, .allow?, nil: return nil
        }
    }

    private enum Concern {
        case denies, asks
    }

    /// The concern of the rules that match, or may match, a call that the agent would run by itself; nil if there is none.
    private func concern(with call: UnaskedCall, of agent: String, at now: HostInstant, present: String?) -> Concern? {
        let kept = source.rules
        // A file that cannot be read may have a rule about any call.
        guard !source.isUnreadable else { return .asks }
        guard let kept, kept.standing.rules.contains(where: { $0.answer != .allow }) else { return nil }
        switch verdict(of: call, by: kept, of: agent, at: now, present: present) {
        case .deny: return .denies
        case .ask(_, let rule): return rule == nil ? nil : .asks
        case .passkey: return .asks
        case .allow: preconditionFailure("nothing is allowed here")
        }
    }

    /// Never `allow`.
    private func verdict(
        of call: UnaskedCall, by kept: KeptRules, of agent: String, at now: HostInstant, present: String?
    ) -> RuleBook.Verdict {
        let input = try? JSONDocument(parsing: call.input).root
        let judged = RuleCall(
            agent: agent, tool: call.tool, input: input, folder: call.session.flatMap { folders[$0] }, present: present,
            home: home)
        return kept.standing.judge(judged, at: source.moment(at: now.wall), allows: false) { source.target(of: $0) }
    }

    private enum Outcome {
        /// `by`: all rules of that book that allow it together; none if it is denied.
        case answers(AppliedRule, by: [String], of: RuleBook)
        case asks
        /// A passkey is required. Also for a question: a rule may name the tool that asks it.
        case asksForPasskey
    }

    private func verdict(for request: ApprovalRequest, _ call: RuleCall, at now: HostInstant, isHeld: Bool) -> Outcome {
        guard let kept = source.rules, !kept.standing.rules.isEmpty else { return .asks }
        let mayAnswer = request.kind == .tool
        let standing = uses.standing(kept.standing)
        let verdict = standing.judge(
            call, at: source.moment(at: now.wall), allows: mayAnswer && kept.isAccepted && !isHeld && call.mayBeAllowed
        ) { source.target(of: $0) }
        switch verdict {
        case .passkey: return .asksForPasskey
        case .allow(let names) where mayAnswer:
            let rule = AppliedRule(name: Self.line(names), digest: kept.digest, answer: .allow)
            return .answers(rule, by: names, of: standing)
        case .deny(let name, let words) where mayAnswer:
            let rule = AppliedRule(name: name, digest: kept.digest, answer: .deny, message: words)
            return .answers(rule, by: [], of: standing)
        case .allow, .deny, .ask: return .asks
        }
    }

    private static func line(_ names: [String]) -> String {
        TextCut.line(names.joined(separator: ", "), bytesMax: WireLimits.nameBytesMax)
    }
}

extension RuleDesk.Answered {
    fileprivate var note: [UInt8] {
        JSONWriter.object { writer in
            writer.field("session", session)
            writer.field("digest", digest.rawValue)
            writer.object("rule") { rule.write(to: &$0) }
        }
    }

    fileprivate init?(_ approval: ApprovalID, note: [UInt8]) {
        guard let value = try? JSONDocument(parsing: note).root, let session = value.text("session").flatMap({ SessionID($0) }),
            let digest = value.text("digest").flatMap(InputDigest.init),
            let rule = try? AppliedRule(from: value.required("rule"))
        else { return nil }
        self.init(session: session, approval: approval, digest: digest, rule: rule)
    }
}
