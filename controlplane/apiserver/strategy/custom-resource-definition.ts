/** CustomResourceDefinitions on their way to the store: the storage version is remembered for as long as objects may be stored in it. */
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import { coerceDefaults } from '../../../api/structural/default-rules.ts';
import type { Schema } from '../../../api/structural/schema.ts';
import type { Draft, Strategy } from './strategy.ts';

/** The first version marked for storage. */
function storageVersion(object: Draft): string | undefined {
	const { spec } = object as unknown as Partial<CustomResourceDefinition>;
	return (spec?.versions ?? []).find((version) => version.storage)?.name;
}

/** Upstream keeps what stands in the webhook in the conversion itself: of nothing there is no webhook. */
function dropEmptyWebhook(object: Draft): void {
	const { conversion } = (object as unknown as CustomResourceDefinition).spec ?? {};
	const { clientConfig, conversionReviewVersions } = conversion?.webhook ?? {};
	if (clientConfig === undefined && (conversionReviewVersions ?? []).length === 0) delete conversion?.webhook;
}

/** Upstream's validation does it on its way. */
function coerceAllDefaults(object: Draft): void {
	for (const { schema } of (object as unknown as CustomResourceDefinition).spec?.versions ?? [])
		if (schema?.openAPIV3Schema !== undefined) coerceDefaults(schema.openAPIV3Schema as Schema);
}

export const customResourceDefinitionStrategy: Strategy = {
	status: ['status'],
	generation: true,
	allowUnconditionalUpdate: false,
	answersDeleted: true,
	marksItself: true,
	deletionFinalizers: ['customresourcecleanup.apiextensions.k8s.io'],
	markTerminating(object, now) {
		const status = (object['status'] ?? {}) as { conditions?: { type: string }[] | null };
		const others = (status.conditions ?? []).filter(({ type }) => type !== 'Terminating');
		const condition = {
			type: 'Terminating',
			status: 'True',
			lastTransitionTime: now,
			reason: 'InstanceDeletionPending',
			message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
		};
		object['status'] = { ...status, conditions: [...others, condition] };
	},
	prepareForCreate(object) {
		dropEmptyWebhook(object);
		coerceAllDefaults(object);
		const stored = storageVersion(object);
		object['status'] = {
			conditions: null,
			acceptedNames: { plural: '', kind: '' },
			storedVersions: stored === undefined ? null : [stored],
		};
	},
	prepareForUpdate(object) {
		dropEmptyWebhook(object);
		coerceAllDefaults(object);
		const stored = storageVersion(object);
		const status = object['status'] as { storedVersions?: string[] | null } | undefined;
		if (stored === undefined || status === undefined) return;
		const before = status.storedVersions ?? [];
		if (!before.includes(stored)) object['status'] = { ...status, storedVersions: [...before, stored] };
	},
};
