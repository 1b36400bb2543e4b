/** JSON patch and merge patch. */
import { applyPatch, type Operation } from 'rfc6902';

export function applyJsonPatch(current: unknown, patch: unknown): unknown {
	const copy = structuredClone(current);
	applyPatch(copy, patch as Operation[]);
	return copy;
}

export function mergePatch(current: unknown, patch: unknown): unknown {
	if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
	const out: Record<string, unknown> = typeof current === 'object' && current !== null && !Array.isArray(current) ? { ...current } : {};
	for (const [key, value] of Object.entries(patch)) {
		if (value === null) delete out[key];
		else out[key] = mergePatch(out[key], value);
	}
	return out;
}
