internal import Consent
internal import DeviceConsent
internal import LiveActivityKit
internal import RelayProtocol

/// Whether a request can be allowed from its alert. If the host takes only signed decisions and trusts this device, the alert's
/// words come from the text that is signed. A sealed request is decided in the app. The page's worker has a twin.
enum AlertAllowing: Equatable {
    /// The host takes unsigned decisions.
    case unsigned
    /// The text to sign, and the part of it that an alert shows.
    case signed(text: String, ShownAlert)
    case inApp

    /// Largest input that an alert shows whole, in UTF-16 units, as at the relay.
    static let fullCharactersMax = 2_600

    init(_ found: ApprovalLookup.Found?, _ book: HostBook, _ own: any KitWords = KitLanguage.words()) {
        guard let found else {
            self = .inApp
            return
        }
        switch ApprovalReading(found.approval, found.summary).basis {
        case .open: self = .unsigned
        case .unreadable: self = .inApp
        case .signed(let shown):
            let words = book[shown.host].flatMap { Self.words(shown.request, host: $0.name, own) }
            self = words.map { .signed(text: shown.text, $0) } ?? .inApp
        }
    }

    /// The alert's words; nil if an alert cannot show all of the request exactly as it is.
    private static func words(_ request: ApprovalRequest, host: String, _ own: any KitWords) -> ShownAlert? {
        guard request.kind == .tool, !request.isCut, !request.needsPasskey, let words = request.alert, words.isWhole,
            let full = words.full, full.utf16.count <= fullCharactersMax, isPlain(full), isPlain(request.tool), isPlain(host)
        else { return nil }
        let risks = request.risks.joined(separator: " ")
        guard isPlain(risks) else { return nil }
        let body = risks.isEmpty ? full : "\(own.lookTwice(risks))\n\(full)"
        return ShownAlert(title: own.allowQuestion(request.tool, host), subtitle: "", body: body)
    }

    /// False if the text has invisible characters, or characters that can be mistaken for others.
    static func isPlain(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            if scalar == "\n" { return true }
            switch scalar.properties.generalCategory {
            case .control, .format, .privateUse, .unassigned, .surrogate, .lineSeparator, .paragraphSeparator: return false
            default: return true
            }
        }
    }
}
