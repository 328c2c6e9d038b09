import Kit
import SwiftUI
import WidgetKit

@main struct CardBundle: WidgetBundle {
    var body: some Widget { HeliographLiveActivity() }
}
