/** What annotations of a pod may become: those that say what it is stay (upstream ValidatePodSpecificAnnotationUpdates). */
import { fieldForbidden } from '../../field-error.ts';
import type { Pod } from '../../gen/types.ts';
import type { Errors } from '../rule.ts';
import { annotationRules, APP_ARMOR, MIRROR } from './pod.ts';
import { podOptions } from './options-before.ts';

export function annotationUpdates(out: Errors, pod: Pod, old: Pod): void {
	const [now, before] = [pod.metadata?.annotations ?? {}, old.metadata?.annotations ?? {}];
	const refuse = (key: string, verb: string): void => {
		const what = key.startsWith(APP_ARMOR) ? 'AppArmor annotations' : key === MIRROR ? 'mirror pod annotation' : undefined;
		if (what !== undefined) out.push(fieldForbidden(`metadata.annotations[${key}]`, `may not ${verb} ${what}`));
	};
	for (const [key, value] of Object.entries(before)) if (now[key] !== value) refuse(key, 'remove or update');
	for (const key of Object.keys(now)) if (before[key] === undefined) refuse(key, 'add');
	annotationRules(out, pod, podOptions(old));
}
