public import Foundation

/// State that survives the end of the app: reports that the relay has received, and those still to be sent.
public struct SavedLifecycle: Codable, Sendable, Equatable {
    var device: DeviceRegistration
    var cards: [CardLifecycle.Card]
    var reports: [ReportQueue.Entry]
    var isSignedOut = false
}

/// Storage for the lifecycle's state.
public protocol LifecycleStoring: Sendable {
    /// Nil if nothing was saved. Throws `storage`.
    func load() throws(LiveActivityError) -> SavedLifecycle?
    /// Throws `storage`.
    func save(_ saved: SavedLifecycle) throws(LiveActivityError)
}

/// A file of the app, replaced as a whole.
public struct LifecycleFile: LifecycleStoring {
    private let url: URL

    /// `url` is in a folder that a notification extension need not see, such as Application Support.
    public init(_ url: URL) { self.url = url }

    public func load() throws(LiveActivityError) -> SavedLifecycle? {
        do { return try JSONDecoder().decode(SavedLifecycle.self, from: Data(contentsOf: url)) } catch {
            if let error = error as? CocoaError, error.code == .fileReadNoSuchFile { return nil }
            throw LiveActivityError(.storage, "what was saved of the cards cannot be read: \(error)")
        }
    }

    public func save(_ saved: SavedLifecycle) throws(LiveActivityError) {
        do {
            try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try JSONEncoder().encode(saved).write(to: url, options: .atomic)
        } catch { throw LiveActivityError(.storage, "the state of the cards cannot be saved: \(error)") }
    }
}
