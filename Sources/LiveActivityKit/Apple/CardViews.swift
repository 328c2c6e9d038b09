#if canImport(ActivityKit) && canImport(SwiftUI) && !os(macOS) && !targetEnvironment(macCatalyst)
import Foundation
import SwiftUI

/// The card on the Lock Screen, in StandBy, and as a banner if the device has no Dynamic Island.
struct LockScreenCard: View {
    let face: CardFace

    var body: some View {
        VStack(alignment: .leading, spacing: 8) {
            HStack(alignment: .firstTextBaseline, spacing: 8) {
                CardSign(face: face).font(.title3)
                CardHeadline(face: face)
                Spacer(minLength: 4)
                CardClock(face: face).font(.caption)
            }
            CardBody(face: face)
        }
        .padding(16)
    }
}

/// The card's state, by form and colour; a screen reader gets all of it from here.
struct CardSign: View {
    let face: CardFace

    var body: some View {
        Image(systemName: face.symbol)
            .foregroundStyle(face.color)
            .accessibilityLabel(face.accessibilityLabel)
    }
}

struct CardHeadline: View {
    let face: CardFace

    var body: some View {
        VStack(alignment: .leading, spacing: 0) {
            Text(face.title).font(.headline).lineLimit(1)
            Text(face.status).font(.subheadline).foregroundStyle(face.color).lineLimit(1)
        }
        // The sign's label covers both.
        .accessibilityHidden(true)
    }
}

/// A brief figure: how many approvals wait, the progress, or the time it takes.
struct CardBrief: View {
    let face: CardFace

    var body: some View {
        Group {
            if let badge = face.badge {
                Text("\(badge)").foregroundStyle(face.color)
            } else if let progress = face.progressText, face.phase == .working {
                Text(progress)
            } else {
                CardClock(face: face, isCompact: true)
            }
        }
        .font(.caption)
        .monospacedDigit()
        .lineLimit(1)
        .minimumScaleFactor(0.7)
        .accessibilityHidden(true)
    }
}

/// Elapsed time, which ticks without pushes, and the cost below it.
struct CardClock: View {
    let face: CardFace
    var isCompact = false

    var body: some View {
        VStack(alignment: .trailing, spacing: 2) {
            switch face.clock {
            case .since(let moment):
                Text(timerInterval: moment...moment.addingTimeInterval(CardFace.clockMax), countsDown: false)
                    .multilineTextAlignment(.trailing)
                    // A timer claims all the width it can get.
                    .frame(maxWidth: isCompact ? 48 : 64, alignment: .trailing)
            case .text(let text): Text(text)
            }
            if let cost = face.cost, !isCompact {
                Text(cost).foregroundStyle(face.phase == .budget ? face.color : .secondary)
            }
        }
        .monospacedDigit()
        .lineLimit(1)
        .accessibilityHidden(true)
    }
}

/// The current activity, or the question to the person.
struct CardBody: View {
    /// A Lock Screen cuts a card off at 160 points: this is the height left below the headline. If the whole text does not fit here, the
    /// cut one is shown, and that cannot be allowed.
    private static let heightMax: CGFloat = 84

    let face: CardFace
    @Environment(\.dynamicTypeSize) private var typeSize
    @Environment(\.accessibilityReduceMotion) private var reducesMotion

    var body: some View {
        VStack(alignment: .leading, spacing: 6) {
            if face.choices.contains(.allow) {
                ViewThatFits(in: .vertical) {
                    question(lines: nil, face.choices).fixedSize(horizontal: false, vertical: true)
                    question(lines: 1, [.deny, .review])
                }
                .frame(maxHeight: Self.heightMax)
            } else if face.needsPerson {
                question(lines: 2, face.choices)
            } else {
                news
            }
        }
    }

    @ViewBuilder private func question(lines: Int?, _ choices: [CardFace.Choice]) -> some View {
        VStack(alignment: .leading, spacing: 6) {
            if let detail = face.detail {
                Text(verbatim: detail).font(.system(.footnote, design: .monospaced)).lineLimit(lines).accessibilityHidden(true)
            }
            CardButtons(face: face, choices: choices)
        }
    }

    @ViewBuilder private var news: some View {
        if let detail = face.detail {
            Text(verbatim: detail)
                .font(.footnote)
                .lineLimit(typeSize.isAccessibilitySize ? 1 : 2)
                // Words that slide over each other are unwanted if the person asked for less motion.
                .contentTransition(reducesMotion ? .identity : .opacity)
                .accessibilityHidden(true)
        }
        if let progress = face.progress, face.phase != .done {
            HStack(spacing: 6) {
                ProgressView(value: progress).tint(face.color)
                if let text = face.progressText { Text(text).font(.caption2).monospacedDigit() }
            }
            .accessibilityHidden(true)
        }
        if face.isOutdated {
            let words = KitLanguage.words().lastHeard
            Text("\(words.before)\(Text(face.updatedAt, style: .relative))\(words.after)")
                .font(.caption2).foregroundStyle(.secondary)
        }
    }
}

extension CardFace {
    var color: Color {
        switch tint {
        case .blue: .blue
        case .orange: .orange
        case .purple: .purple
        case .green: .green
        case .red: .red
        case .gray: .secondary
        }
    }
}
#endif
