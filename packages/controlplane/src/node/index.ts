export type { Driver } from './driver.ts';
export type { NodeAgentOptions } from './node-agent.ts';
export type { NodeFacts } from './object/node-description.ts';
export type { ImageProgram, ImageSource, Launch, LaunchContext } from './process/image-program.ts';
export { type ProcessNode, type ProcessNodeOptions, processNode } from './process-node.ts';
export { type SimulatedNodeOptions, simulatedNode } from './simulated/simulated-node.ts';
