internal import FoundationEssentials

/// opencode-ios: `SessionActivityAttributes` with enums by the texts that it shows.
package enum OpenCode: ActivityModel {
    package static let attributesType = "SessionActivityAttributes"

    package struct Attributes: Decodable {
        let sessionID: String
        let sessionType: SessionType
        let startTime: Date
    }

    package struct ContentState: Decodable {
        let status: Status
        let progress: Double
        let currentFile: String?
        let operationCount: Int
        let lastUpdateTime: Date
    }

    enum Status: String, Decodable {
        case initializing = "Initializing..."
        case active = "Active"
        case processing = "Processing"
        case syncing = "Syncing"
        case generating = "Generating Code"
        case building = "Building"
        case completing = "Completing"
        case completed = "Completed"
        case error = "Error"
    }

    enum SessionType: String, Decodable {
        case coding = "Coding Session"
        case generation = "Code Generation"
        case sync = "File Sync"
        case build = "Build Process"

        var symbol: String {
            switch self {
            case .coding: "chevron.left.forwardslash.chevron.right"
            case .generation: "wand.and.stars"
            case .sync: "arrow.triangle.2.circlepath"
            case .build: "hammer"
            }
        }
    }

    package static func face(_ attributes: Attributes, _ state: ContentState) -> CardFace {
        CardFace(
            symbol: attributes.sessionType.symbol, tint: .blue, title: attributes.sessionType.rawValue,
            status: state.status.rawValue, detail: state.currentFile,
            // The app draws no bar for zero.
            progress: state.progress > 0 ? state.progress : nil,
            progressText: state.operationCount > 0 ? "\(state.operationCount) operations completed" : nil,
            clock: .since(attributes.startTime.milliseconds))
    }
}

extension Date {
    /// Milliseconds since 1970. A date in the wrong unit must not crash the simulator.
    var milliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? .max }
}
