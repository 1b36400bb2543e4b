/** CustomResourceDefinitions on their way to the store: the storage version is remembered for as long as objects may be stored in it. */
import type { CustomResourceDefinition } from '../../../api/gen/types.ts';
import { coerceDefaults } from '../../../api/structural/default-rules.ts';
import { innerPlaces, type Schema } from '../../../api/structural/schema.ts';
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

/** Values in schemas are JSON: in them, an empty list is not an absent one. By their place. */
function schemaValues(object: Draft): Readonly<Record<string, unknown>> {
	const found: Record<string, unknown> = {};
	const look = (schema: Schema & { readonly example?: unknown }, at: string): void => {
		for (const key of ['default', 'example'] as const) if ((schema[key] ?? null) !== null) found[`${at}.${key}`] = schema[key];
		for (const [place, inner] of innerPlaces(schema)) look(inner, `${at}.${place}`);
	};
	const { spec } = object as unknown as Partial<CustomResourceDefinition>;
	for (const [i, { schema }] of (spec?.versions ?? []).entries()) look((schema?.openAPIV3Schema ?? {}) as Schema, String(i));
	return found;
}

export const customResourceDefinitionStrategy: Strategy = {
	status: ['status'],
	generation: true,
	generationAlso: schemaValues,
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
