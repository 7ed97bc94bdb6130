/** What the board puts on `window`, and the queue that component.py fills before adapter.js takes it over. */

import type { Place, PageInterface } from "./adapter.js";

declare global {
  var headlight: PageInterface | undefined;
  var headlightMounts: { push: (place: Place) => unknown } | Place[] | undefined;
}
