resource "helm_release" "karpenter" {
  name       = "karpenter"
  repository = "oci://public.ecr.aws/${var.alias}/é"
  version    = var.enabled ? "1.${local.minor}.0" : null
  count      = length(module.eks.cluster[*].name) > 0 && !var.off ? 1 : 0
  values = [
    yamlencode({
      settings = { clusterName = module.eks.cluster_name, "interruptionQueue" = aws_sqs_queue.q[0].name }
      (local.key) = -1.5
      list = aws_x.y.*.id[0]
    }),
    <<-EOT
      serviceAccount:
        name: ${var.sa}
      %{ if var.a ~}
      x: "$${y}"
      %{ else ~}
      x: 2
      %{ endif ~}
      %{ for k, v in var.tags }
      ${k}: ${v}
      %{ endfor }
    EOT
    , "tab\tnew\n\"quoted\" \u00e9 ${"nested ${upper("x")}"}",
  ]
  set { value = true }
  dynamic "set" {
    for_each = { for k, v in var.all : k => v... if v != null }
    content {
      name  = set.key
      value = [for i, x in set.value : (x.a + 1) * 2 if x.b][0]
    }
  }
  x = provider::aws::arn_parse(local.arns...)
  y = a.0.b["c"]
  plain = <<EOT
text
EOT
}
