/** Types of the elements whose code loads later: until then they exist by name and are empty. */

import type { ComposerOffers } from "./elements/composer-offers.js";
import type { ComposerPanel } from "./elements/composer-panel.js";
import type { FileFinder } from "./elements/file-finder.js";
import type { HeldPrompts } from "./elements/held-prompts.js";
import type { InstallSteps } from "./elements/install-steps.js";
import type { PictureChoice } from "./elements/picture-choice.js";
import type { PictureFrames } from "./elements/picture-frames.js";
import type { RowDeeds } from "./elements/row-deeds.js";
import type { SessionChanges } from "./elements/session-changes.js";
import type { SessionFacts } from "./elements/session-facts.js";
import type { SessionFind } from "./elements/session-find.js";
import type { SieveSaver } from "./elements/sieve-saver.js";
import type { SpeechButton } from "./elements/speech-button.js";

declare global {
  interface HTMLElementTagNameMap {
    "composer-offers": ComposerOffers;
    "composer-panel": ComposerPanel;
    "file-finder": FileFinder;
    "held-prompts": HeldPrompts;
    "install-steps": InstallSteps;
    "picture-choice": PictureChoice;
    "picture-frames": PictureFrames;
    "row-deeds": RowDeeds;
    "session-changes": SessionChanges;
    "session-facts": SessionFacts;
    "session-find": SessionFind;
    "sieve-saver": SieveSaver;
    "speech-button": SpeechButton;
  }
}
