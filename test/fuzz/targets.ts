/** Every target. */
import type { Target } from './fuzz.ts';
import { json, protobuf, yaml } from './targets/bodies.ts';
import { cel } from './targets/cel.ts';
import { schemas, validation } from './targets/kinds.ts';
import { apply, jsonPatch, merge, strategic } from './targets/patches.ts';
import { continueToken, fieldSelector, labelSelector, quantity } from './targets/texts.ts';

export const TARGETS = [
	...[protobuf, json, yaml, labelSelector, fieldSelector, quantity, continueToken],
	...[jsonPatch, merge, strategic, apply, cel, schemas, validation],
] as unknown as readonly Target[];
