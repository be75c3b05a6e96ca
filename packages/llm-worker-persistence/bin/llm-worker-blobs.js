#!/usr/bin/env node
// A file of its own, so that the link can be made before the package is built.
import "../dist/cli/main.js";
