/** The ephemeralcontainers subresource: debug containers are added, and stay as they are (upstream ValidatePodEphemeralContainersUpdate). */
import { fieldForbidden } from '../../field-error.ts';
import type { EphemeralContainer, Pod } from '../../gen/types.ts';
import { jsonDiff } from '../../internal/diff.ts';
import { internalForm } from '../../internal/form.ts';
import { sameTyped } from '../../same-typed.ts';
import { objectMetaUpdate } from '../metadata.ts';
import { podBase } from './pod.ts';
import { type Errors } from '../rule.ts';

const PATH = 'spec.ephemeralContainers';
const form = (container: EphemeralContainer | undefined): unknown => internalForm('core/v1.EphemeralContainer', container);
const MIRROR = 'kubernetes.io/config.mirror';

export function podEphemeralUpdate(out: Errors, pod: Pod, old: Pod): void {
	if (old.metadata.annotations?.[MIRROR] !== undefined) {
		out.splice(0, out.length, fieldForbidden('[]', 'static pods do not support ephemeral containers'));
		return;
	}
	objectMetaUpdate(out, pod.metadata, old.metadata);
	podBase(out, pod, old);
	const now = pod.spec?.ephemeralContainers ?? [];
	for (const before of old.spec?.ephemeralContainers ?? []) {
		const i = now.findIndex((c) => c.name === before.name);
		if (i < 0) out.push(fieldForbidden(PATH, `existing ephemeral containers "${before.name}" may not be removed\n`));
		else if (!sameTyped('core/v1.EphemeralContainer', now[i], before))
			out.push(
				fieldForbidden(PATH, `existing ephemeral containers "${before.name}" may not be changed\n${jsonDiff(form(before), form(now[i]))}`),
			);
	}
}
