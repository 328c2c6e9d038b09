package import PushPlanner
package import RelayProtocol

/// Maps a summary to one app's Live Activity and alerts: declared in JSON, fully checked when it is read.
///
/// The key is the bundle with the attributes type: two apps use one name for different types.
package struct Profile: Sendable {
    /// The app's notification categories, which determine the buttons of an alert; nil for none.
    package struct Categories: Sendable, Equatable {
        /// Category for approvals that may be allowed from the notification.
        package var approval: String?
        package var approvalWithoutAllow: String?
        package var question: String?
        package var other: String?
    }

    package let name: String
    package let bundle: String
    /// The Swift name of the app's `ActivityAttributes`; nil for an app without cards.
    package let attributesType: String?
    package let team: String?
    /// In milliseconds, as all durations here.
    package let staleAfter: Int64
    /// Age at which a card is ended: the system would do so after 8 hours.
    package let maximumAge: Int64
    package let dismissal: PushApp.Dismissal
    /// The app's own sentence on a card that ends because of its age while the run continues.
    package let closingText: LanguageChoice<String>?
    /// Cards on one device at a time, beyond which none is started by push.
    package let cardsMax: Int
    /// The most text that its pushes may contain, whatever the person chose.
    package let textMax: PushText
    package let categories: Categories

    /// Limit of each text, escapes included.
    let textBytesMax: Int
    /// Limit of attributes and content state together.
    let contentBytesMax: Int
    let relevances: [SessionStatus: Int64]
    let attributeFields: [PushExpression.Field]
    let contentFields: [PushExpression.Field]

    /// Largest size of a card on a device: Apple counts attributes and content state together.
    package static let contentBytesMax = 4_096
    /// Attributes may take one part in this many of it.
    static let attributesShare = 4
    /// Bytes that a content state may need besides its texts, which can be cut: a start leaves that much in any case.
    static let bytesWithoutTextMax = 1_024

    /// The `content-state`: a JSON object of at most `bytesMax` bytes, which must be at least 1,024.
    package func contentState(_ subject: PushSubject, bytesMax: Int) -> [UInt8] {
        bytes(of: contentFields, subject, bytesMax: min(bytesMax, contentBytesMax - attributesBytesMax))
    }

    /// The `attributes`: a JSON object of at most 1,024 bytes.
    package func attributes(_ subject: PushSubject) -> [UInt8] {
        var subject = subject
        // Attributes never change, so that those of a card of all sessions name none.
        if subject.isOfAll { subject.text = subject.text.least(.generic) }
        return bytes(of: attributeFields, subject, bytesMax: attributesBytesMax)
    }

    /// The category of an alert; nil for no buttons. An alert that may not be allowed never gets the category that allows.
    package func category(for kind: AlertKind?, mayAllow: Bool) -> String? {
        switch kind {
        case .approval: mayAllow ? categories.approval : categories.approvalWithoutAllow
        case .question: categories.question
        case .error, .finished, .budget, nil: categories.other
        }
    }

    /// The `relevance-score` of a card, 0 to 100: which card of the app is on top.
    package func relevance(of status: SessionStatus) -> Int64 { relevances[status] ?? 0 }

    private var attributesBytesMax: Int { contentBytesMax / Self.attributesShare }

    private func bytes(of fields: [PushExpression.Field], _ subject: PushSubject, bytesMax: Int) -> [UInt8] {
        var subject = subject
        subject.text = subject.text.least(textMax)
        guard let value = PushExpression.object(fields, of: subject) else {
            preconditionFailure("a field that must be there is absent, which reading the profile rules out")
        }
        return value.bytes(fitting: bytesMax, textMax: textBytesMax)
    }
}
