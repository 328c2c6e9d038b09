#if canImport(ActivityKit) && canImport(WidgetKit) && !os(macOS) && !targetEnvironment(macCatalyst)
import Foundation
import SwiftUI
import WidgetKit

/// The card as the place asks for it.
struct PlacedCard: View {
    let face: CardFace

    var body: some View {
        if #available(iOS 18.0, *) { SizedCard(face: face) } else { LockScreenCard(face: face) }
    }
}

@available(iOS 18.0, *) private struct SizedCard: View {
    let face: CardFace
    @Environment(\.activityFamily) private var family

    var body: some View {
        if family == .small { SmallCard(face: face) } else { LockScreenCard(face: face) }
    }
}

/// The card in the watch's Smart Stack and in CarPlay. It has no buttons: the input cannot be read there, and CarPlay ignores them.
struct SmallCard: View {
    let face: CardFace

    var body: some View {
        VStack(alignment: .leading, spacing: 4) {
            HStack(spacing: 6) {
                CardSign(face: face)
                CardHeadline(face: face)
                Spacer(minLength: 4)
                CardBrief(face: face)
            }
            if let detail = face.detail {
                Text(verbatim: detail).font(.caption).lineLimit(1).accessibilityHidden(true)
            }
        }
        .padding(8)
    }
}

/// The view right of the camera. From iOS 27 on the Dynamic Island has a fixed width in landscape.
struct IslandBrief: View {
    let face: CardFace

    var body: some View {
        // This compiler comes with the SDK of Xcode 27.
        #if compiler(>=6.4)
        if #available(iOS 27.0, *) { SizedBrief(face: face) } else { CardBrief(face: face) }
        #else
        CardBrief(face: face)
        #endif
    }
}

#if compiler(>=6.4)
@available(iOS 27.0, *) private struct SizedBrief: View {
    let face: CardFace
    @Environment(\.isDynamicIslandLimitedInWidth) private var isLimited

    var body: some View {
        if isLimited, face.badge == nil {
            // A count fits; a time or "12/30" would be cut.
            if let progress = face.progress, face.phase == .working {
                ProgressView(value: progress).progressViewStyle(.circular).tint(face.color).accessibilityHidden(true)
            }
        } else {
            CardBrief(face: face)
        }
    }
}
#endif
#endif
