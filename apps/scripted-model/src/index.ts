export {
  type ReceivedRequest,
  type ScriptedModel,
  type ScriptedModelOptions,
  startScriptedModel,
} from "./server.js";
export { type ScriptedModelProcess, spawnScriptedModel } from "./spawn.js";
