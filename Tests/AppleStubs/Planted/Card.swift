// Faults that the check of the cards has to refuse; see Tests/Tools/check-apple-sources.

import SwiftUI

struct Planted: View {
    @Environment(\.activityFamily) var family  // error: 'activityFamily' is only available in iOS18
    @Environment(\.isDynamicIslandLimitedInWidth)  // error: 'isDynamicIslandLimitedInWidth' is only available in iOS27
    private var isLimited

    var body: some View { EmptyView() }
}
