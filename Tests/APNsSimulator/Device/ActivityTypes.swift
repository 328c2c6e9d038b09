internal import FoundationEssentials

/// An app's `ActivityAttributes`, with the name that a push must use for it.
package protocol ActivityModel: SendableMetatype {
    /// Constant for the life of the activity.
    associatedtype Attributes: Decodable, SendableMetatype
    associatedtype ContentState: Decodable, SendableMetatype

    /// The name of the Swift struct.
    static var attributesType: String { get }

    static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace
}

/// A device's view of an `ActivityModel`: decodes bytes into a face.
package struct ActivityTypes: Sendable {
    package let name: String
    private let decode: @Sendable ([UInt8], [UInt8]) throws -> CardFace

    package init<Model: ActivityModel>(_ model: Model.Type) {
        name = model.attributesType
        decode = { attributes, state in
            // The system decodes with the default strategies only: a date is a number of seconds since 2001.
            let decoder = JSONDecoder()
            return Model.face(
                try decoder.decode(Model.Attributes.self, from: Data(attributes)),
                try decoder.decode(Model.ContentState.self, from: Data(state)))
        }
    }

    /// `decode` throws an error that names the place of the fault.
    init(name: String, decode: @escaping @Sendable (_ attributes: [UInt8], _ contentState: [UInt8]) throws -> CardFace) {
        self.name = name
        self.decode = decode
    }

    func face(attributes: [UInt8], contentState: [UInt8]) throws(DropError) -> CardFace {
        do {
            return try decode(attributes, contentState)
        } catch {
            throw DropError(.undecodable, Self.explanation(of: error))
        }
    }

    /// Where decoding failed and what was expected, as a device's log would say it.
    private static func explanation(of error: any Error) -> String {
        guard let error = error as? DecodingError else { return "\(error)" }
        switch error {
        case .typeMismatch(let type, let context): return "\(place(context)) is no \(type)"
        case .valueNotFound(let type, let context): return "\(place(context)) is null where \(type) is required"
        case .keyNotFound(let key, let context): return "\(place(context)) lacks \(key.stringValue)"
        case .dataCorrupted(let context): return "\(place(context)): \(context.debugDescription)"
        @unknown default: return "\(error)"
        }
    }

    private static func place(_ context: DecodingError.Context) -> String {
        context.codingPath.isEmpty ? "the object" : context.codingPath.map(\.stringValue).joined(separator: ".")
    }
}
