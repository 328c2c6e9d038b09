/// The relay's part of a head's field if the host seals its content. Clients read the opened event.
package enum WireSide: Sendable, Equatable {
    /// The field as it is, without members that the table does not know.
    case head
    /// Nothing.
    case sealed
    /// This text, as a reader requires one.
    case standIn(String)
    /// A reason that the wire names by a word; any other is left out, or has this text in its place.
    case named(else: String?)
    /// Another name, which its host maps back.
    case alias
    /// Each text's place in the list, from `1`.
    case places
    /// The text of that other field of the same object.
    case same(as: String)
    /// The field is in sealed events only.
    case added
    /// Each field of the object, or of the list's objects, has a side of its own.
    case parts

    /// The texts that stand for another.
    package static let standIns = Set(
        EventKind.allCases.flatMap { kind in
            WireTable.head(kind).fields.compactMap { field in
                if case .standIn(let text) = field.side { text } else { nil }
            }
        })

    /// Reasons of hosts and of this project, not of people or agents: they are told by word.
    package static let reasons: Set<String> = [
        "agentGone", "allowedLocally", "answeredLocally", "badSignature", "cannotOpen", "clear",
        "deniedLocally", "digestMismatch", "expired", "hookEnded", "hostRestarted", "logout", "notSealed",
        "notShown", "notTrusted", "prompt_input_exit", "restored", "sessionEnded", "tooMany", "turnEnded",
        "unknownApproval", "unsigned", "withdrawn",
    ]
}
