/// The relay's view of a field in an event's head if the host seals its content. Clients read the decrypted event.
package enum WireSide: Sendable, Equatable {
    /// The field unchanged, without members that the table does not know.
    case head
    /// Nothing: the field is sealed.
    case sealed
    /// This placeholder text, because a reader requires one.
    case standIn(String)
    /// A reason that is one of the wire's own words; any other is left out, or replaced by this text.
    case named(else: String?)
    /// An alias, which the host maps back.
    case alias
    /// The index of each text in the list, from `1`, in place of the text.
    case places
    /// The value of that other field of the same object.
    case same(as: String)
    /// The field is in sealed events only.
    case added
    /// Each field of the object, or of the list's objects, has its own side.
    case parts

    /// Stands in for the title of a request.
    package static let request = "A sealed request"

    /// All placeholder texts.
    package static let standIns = Set(
        EventKind.allCases.flatMap { kind in
            WireTable.head(kind).fields.compactMap { field in
                if case .standIn(let text) = field.side { text } else { nil }
            }
        })

    /// Reasons made by hosts and this project, not by people or agents: they are sent in plain text.
    package static let reasons: Set<String> = [
        "agentGone", "allowedLocally", "answeredLocally", "badSignature", "cannotOpen", "clear",
        "deniedLocally", "digestMismatch", "editMalformed", "editNotOffered", "editRisky", "editRuled", "expired", "hookEnded",
        "hostRestarted", "logout", "notSealed",
        "notShown", "notTrusted", "prompt_input_exit", "restored", "sessionEnded", "tooMany", "turnEnded",
        "unknownApproval", "unsigned", "withdrawn",
    ]
}
