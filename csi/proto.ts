/** The CSI v1 messages and services, as generated: the one place that names the generated file. */
export * from '../wire/gen/csi.ts';
