// API newer than iOS 17.2, the oldest version that the sources support. Compiled into LiveActivityKit, its only user, so that its
// availability can be checked; see Tests/Tools/check-apple-sources.

import Foundation
import SwiftUI

@available(iOS 18.0, *) enum ActivityFamily: Equatable, Sendable { case small, medium }

extension WidgetConfiguration {
    @available(iOS 18.0, *) @MainActor @preconcurrency func supplementalActivityFamilies(
        _ families: [ActivityFamily]
    ) -> some WidgetConfiguration { self }
}

extension EnvironmentValues {
    @available(iOS 18.0, *) var activityFamily: ActivityFamily { fatalError("only type-checked") }
    #if compiler(>=6.4)
    @available(iOS 27.0, *) var isDynamicIslandLimitedInWidth: Bool { fatalError("only type-checked") }
    #endif
}
