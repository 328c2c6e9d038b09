package import RelayProtocol

/// One of an agent's own options: first its effect and the place where it is recorded, in our words, then the agent's text with the
/// gutter, so that this cannot pass for ours.
package enum OfferText {
    package static func lines(_ offer: Offer, width: Int?, palette: Palette) -> [String] {
        var lines = ["  \(offer.effect.rawValue), \(place(of: offer)):"]
        lines += ApprovalText.quoted(offer.label, width, palette)
        for (name, text) in [("mode", offer.mode), ("exactly", offer.rule)] {
            guard let text else { continue }
            lines.append("    " + palette.paint("\(name):", .dim))
            lines += ApprovalText.quoted(text, width, palette)
        }
        if let name = plainName(of: offer) { return lines + ["    " + palette.paint("--offer \(name)", .dim)] }
        return lines + ["    " + palette.paint("--offer, and these words:", .dim)]
            + ApprovalText.quoted(offer.id, width, palette)
    }

    /// The offer's id if it is a short word; any other could pass for a line of ours.
    package static func plainName(of offer: Offer) -> String? {
        let isWord = offer.id.utf8.allSatisfy {
            $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "-") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0 | 0x20)
        }
        return isWord && offer.id.utf8.count <= plainNameBytesMax ? offer.id : nil
    }

    /// Bytes of such an id, which fit on one line of any terminal.
    private static let plainNameBytesMax = 40

    package static func place(of offer: Offer) -> String {
        switch offer.scope {
        case .once: "this once"
        case .session: "until the session ends"
        case .local: "written for you in this project"
        case .project: "written to the project's shared settings"
        case .user: "written for all that you do with this agent"
        case .agent: "the agent does not say for how long"
        }
    }

    /// The offers, for a person who named one that there is not.
    static func offered(with request: ApprovalRequest) -> String {
        guard !request.offers.isEmpty else { return "it offers nothing besides a plain yes and no" }
        let names = request.offers.map { "\(VisibleText.exactLine($0.id)) (\($0.effect.rawValue))" }
        return "it offers \(names.joined(separator: ", "))"
    }
}
