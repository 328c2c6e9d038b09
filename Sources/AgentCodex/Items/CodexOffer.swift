internal import HostCore
internal import RelayProtocol

/// Codex's options besides "accept", as offers.
///
/// For a command Codex lists the answers that it accepts (`availableDecisions`), and no others are offered. For a change of files
/// it lists none; its protocol has one more answer for these, which allows the same files until the session ends.
enum CodexOffer {
    private static let forSession = "acceptForSession"
    private static let withRule = "acceptWithExecpolicyAmendment"

    static func ofCommand(_ params: JSONValue, _ cleaner: Cleaner) -> [AgentOffer] {
        let offers = params.list("availableDecisions").enumerated().compactMap { place, decision -> AgentOffer? in
            offer(decision, id: "d\(place)", cleaner).map { AgentOffer($0, bytes: Array(decision.bytes)) }
        }
        return AgentOffer.showable(offers, cleaner)
    }

    static func ofChanges() -> [AgentOffer] {
        let offer = Offer(id: forSession, label: "Allow changes to these files until the session ends", scope: .session)
        return [AgentOffer(offer, bytes: JSONWriter.string(forSession))]
    }

    private static func offer(_ decision: JSONValue, id: String, _ cleaner: Cleaner) -> Offer? {
        if let word = try? decision.string() {
            return word == forSession ? Offer(id: id, label: "Allow this until the session ends", scope: .session) : nil
        }
        // Only one member is accepted at each level: another could mean more than is shown.
        guard let (key, amendment) = decision.onlyMember, key == withRule,
            let (inner, pattern) = amendment.onlyMember, inner == "execpolicy_amendment",
            let entries = try? pattern.array(), !entries.isEmpty
        else { return nil }
        let words = entries.compactMap { try? $0.string() }
        // A secret is recognised by the word before it, which quotes and commas would hide.
        let line = words.joined(separator: " ")
        guard words.count == entries.count, cleaner.clean(line) == line else { return nil }
        let list = words.map { String(decoding: JSONWriter.string($0), as: UTF8.self) }.joined(separator: ", ")
        // The rule as Codex then writes it to `rules/default.rules` in its own folder: it applies to whatever begins with these
        // words.
        return Offer(
            id: id, label: "Allow commands that begin like this from now on",
            rule: "prefix_rule(pattern=[\(list)], decision=\"allow\")", scope: .user)
    }
}

extension JSONValue {
    fileprivate var onlyMember: (key: String, value: JSONValue)? {
        guard let members = try? members(), members.count == 1, let member = members.first else { return nil }
        return (member.key, member.value)
    }
}
