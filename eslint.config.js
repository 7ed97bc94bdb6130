/** What tsc does not see: dead code, loose comparisons, shadowed and reassigned names. Undefined names are tsc's. */

import js from "@eslint/js";

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module" },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off",
      "curly": ["error", "multi-line"],
      "eqeqeq": "error",
      "no-eval": "error",
      "no-implicit-coercion": "error",
      "no-param-reassign": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
      "max-len": ["error", 120],
      "max-lines": ["error", 400],
    },
  },
];
