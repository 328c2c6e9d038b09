internal import Consent
internal import DeviceConsent
internal import LiveActivityKit
internal import RelayProtocol

/// Permission to allow a request from its alert. Of a host that takes only signed decisions and trusts this device, the words are its own,
/// and are signed; a sealed request is decided in the app. The page's worker has a twin.
enum AlertAllowing: Equatable {
    /// Its host is an open one.
    case unsigned
    /// The text that is signed, and what of it an alert says.
    case signed(text: String, ShownAlert)
    case inApp

    /// UTF-16 units of an input that is shown whole, as the relay has them.
    static let fullCharactersMax = 2_600

    init(_ found: ApprovalLookup.Found?, _ book: HostBook) {
        guard let found else {
            self = .inApp
            return
        }
        switch ApprovalReading(found.approval, found.summary).basis {
        case .open: self = .unsigned
        case .unreadable: self = .inApp
        case .signed(let shown):
            let words = book[shown.host].flatMap { Self.words(shown.request, host: $0.name) }
            self = words.map { .signed(text: shown.text, $0) } ?? .inApp
        }
    }

    /// Nil if an alert cannot show all of it, or shows it otherwise than it is.
    private static func words(_ request: ApprovalRequest, host: String) -> ShownAlert? {
        guard request.kind == .tool, !request.isCut, !request.needsPasskey, let words = request.alert, words.isWhole,
            let full = words.full, full.utf16.count <= fullCharactersMax, isPlain(full), isPlain(request.tool), isPlain(host)
        else { return nil }
        let risks = request.risks.joined(separator: " ")
        guard isPlain(risks) else { return nil }
        let body = risks.isEmpty ? full : "Look twice: \(risks)\n\(full)"
        return ShownAlert(title: "Allow \(request.tool)? · \(host)", subtitle: "", body: body)
    }

    /// False with characters that do not look like what they are, or like anything.
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
