import type { FromSchema } from './from-schema.ts';
import type { templateConfigStatusSchema } from './schema/template-config-status-schema.ts';

/** `HAProxyTemplateConfig.status`, as the controller writes it. */
export type TemplateConfigStatus = FromSchema<typeof templateConfigStatusSchema>;

/** One of `status.conditions`. */
export type Condition = NonNullable<TemplateConfigStatus['conditions']>[number];
